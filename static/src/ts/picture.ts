// Phones take photos that are larger than the limit. Such a photo is drawn smaller and
// upright before it is sent. Without script, or if it cannot be drawn, it is sent
// unchanged, and the page says that it is too long.

const side = 2400; // pixels: twice the largest stored side

// smaller draws a picture as a JPEG of at most most bytes.
async function smaller(file: File, most: number) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const on = canvas.getContext('2d')!;
  on.fillStyle = '#fff'; // behind transparent parts
  on.fillRect(0, 0, canvas.width, canvas.height);
  on.imageSmoothingQuality = 'high';
  on.drawImage(picture, 0, 0, canvas.width, canvas.height);
  for (const quality of [0.9, 0.75, 0.6]) {
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (drawn && drawn.size <= most) {
      return new File([drawn], file.name.replace(/\.\w+$/, '') + '.jpg', { type: drawn.type });
    }
  }
  return file;
}

// pictures handles file fields with [data-most], the limit in bytes.
export function pictures() {
  document.addEventListener('change', async (event) => {
    const field = event.target as HTMLInputElement;
    const most = Number(field.dataset.most);
    const file = field.files?.[0];
    if (!most || !file || file.size <= most) return;
    const drawn = await smaller(file, most).catch(() => file);
    if (field.files?.[0] !== file || drawn === file) return; // another file was chosen meanwhile
    const kept = new DataTransfer();
    kept.items.add(drawn);
    field.files = kept.files;
  });
}
