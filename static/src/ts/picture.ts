// Phones take photos that are longer than what we take. Such a one is drawn smaller
// before it is sent, upright as it is drawn; without script, or where it cannot be
// drawn, it is sent as it is, and the page says that it is too long.

const side = 2400; // pixels: twice what is kept of it

// smaller draws a picture as a JPEG of at most so many bytes.
async function smaller(file: File, most: number) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const on = canvas.getContext('2d')!;
  on.fillStyle = '#fff'; // behind what shines through
  on.fillRect(0, 0, canvas.width, canvas.height);
  on.imageSmoothingQuality = 'high';
  on.drawImage(picture, 0, 0, canvas.width, canvas.height);
  for (const quality of [0.9, 0.75, 0.6]) {
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (drawn && drawn.size <= most) return new File([drawn], file.name.replace(/\.\w+$/, '') + '.jpg', { type: drawn.type });
  }
  return file;
}

// pictures watches the fields of files with [data-most], which is in bytes.
export function pictures() {
  document.addEventListener('change', async (event) => {
    const field = event.target as HTMLInputElement;
    const most = Number(field.dataset.most);
    const file = field.files?.[0];
    if (!most || !file || file.size <= most) return;
    const drawn = await smaller(file, most).catch(() => file);
    if (field.files?.[0] !== file || drawn === file) return; // another was chosen since
    const kept = new DataTransfer();
    kept.items.add(drawn);
    field.files = kept.files;
  });
}
