package pix_test

import "garoupa/pix"

// reader says who must accept a code: Parse and ParseLenient, or only the latter.
type reader int

const (
	nobody reader = iota
	lenient
	everyone
)

type vector struct {
	code string
	by   reader
	want pix.Code
}

// own are codes that Encode must write to the letter.
var own = []vector{
	{"00020126360014br.gov.bcb.pix0114+5511999999999520400005303986540510.505802BR5910LOJA TESTE6009SAO " +
		"PAULO62110507CHK00016304D448", everyone, pix.Code{Key: "+5511999999999", Amount: 1050,
		MerchantName: "LOJA TESTE", MerchantCity: "SAO PAULO", TxID: "CHK0001"}},
	{"00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca2552040000530398" +
		"65802BR5910LOJA TESTE6009SAO PAULO62070503***63043461", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca25",
			MerchantName: "LOJA TESTE", MerchantCity: "SAO PAULO"}},
	{"00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca2552040000530398" +
		"6540537.005802BR5910LOJA TESTE6009SAO PAULO62070503***630421B1", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca25",
			Amount: 3700, MerchantName: "LOJA TESTE", MerchantCity: "SAO PAULO"}},
}

// published are codes from the central bank, institutions and other implementations, with
// their content. Two of them have a correct checksum and still must be refused: one has a
// wrong length in tag 62, the other belongs to a scheme before Pix.
var published = []vector{
	{"00020101021226740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865" +
		"802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63042895", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
			MerchantName: "THALES OGLIARI", MerchantCity: "SAO MIGUEL DO O"}},
	{"00020101021226940014br.gov.bcb.pix2572qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/7b2d64c4eb744a2d92a4dd5f8cfc" +
		"4dfa5204000053039865802BR5913FULANO DE TAL6008BRASILIA62070503***80950014br.gov.bcb.pix2573qr-h.sandbox" +
		".pix.bcb.gov.br/rest/api/rec/3d29b94249c54b3f8c533d729f59b5e56304DBE0", everyone,
		pix.Code{Initiation: pix.SingleUse,
			Location:     "qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/7b2d64c4eb744a2d92a4dd5f8cfc4dfa",
			Recurrence:   "qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/3d29b94249c54b3f8c533d729f59b5e5",
			MerchantName: "FULANO DE TAL", MerchantCity: "BRASILIA"}},
	{"00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***80950014br.gov.bcb.pix2573qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/5ee5232ead" +
		"29422396b44f5eb67180d663041AD9", everyone,
		pix.Code{Recurrence: "qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/5ee5232ead29422396b44f5eb67180d6",
			MerchantName: "Fulano de Tal", MerchantCity: "BRASILIA"}},
	{"00020126180014br.gov.bcb.pix5204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO " +
		"O62070503***80780014br.gov.bcb.pix2556payload.psp.com/rec/3ec9d2f9-5f03-4e0e-820d-63a81e769e876304A8B8",
		everyone, pix.Code{Recurrence: "payload.psp.com/rec/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
			MerchantName: "THALES OGLIARI", MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126370014br.gov.bcb.pix0115thalesog@me.com520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL " +
		"DO O62070503***80780014br.gov.bcb.pix2556payload.psp.com/rec/3ec9d2f9-5f03-4e0e-820d-63a81e769e876304B6DE",
		everyone, pix.Code{Key: "thalesog@me.com",
			Recurrence: "payload.psp.com/rec/3ec9d2f9-5f03-4e0e-820d-63a81e769e87", Amount: 1000,
			MerchantName: "THALES OGLIARI", MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES " +
		"OGLIARI6015SAO MIGUEL DO O62070503***63040DC6", everyone,
		pix.Code{Key: "thalesog@me.com", Info: "Pedido 123", Amount: 1000, MerchantName: "THALES OGLIARI",
			MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 1235204000053039865802BR5914THALES OGLIARI6015SAO " +
		"MIGUEL DO O62070503***630462CA", everyone,
		pix.Code{Key: "thalesog@me.com", Info: "Pedido 123", MerchantName: "THALES OGLIARI",
			MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126540014br.gov.bcb.pix2532https://pix.thalesogliari.com.br5204000053039865802BR5914Thales Ogliari6009SAO " +
		"PAULO62070503***63043FD3", lenient, pix.Code{Location: "pix.thalesogliari.com.br",
		MerchantName: "Thales Ogliari", MerchantCity: "SAO PAULO"}},
	{"00020126630014br.gov.bcb.pix0115thalesog@me.com0210Pedido 1230308123412345204000053039865802BR5914THALES " +
		"OGLIARI6015SAO MIGUEL DO O62070503***6304901C", everyone,
		pix.Code{Key: "thalesog@me.com", Info: "Pedido 123", MerchantName: "THALES OGLIARI",
			MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126650014br.gov.bcb.pix0119nubank@thalesog.com0220Gerado por " +
		"Pix-Utils52040000530398654041.005802BR5914Thales Ogliari6009Sao Paulo62070503***63046069", everyone,
		pix.Code{Key: "nubank@thalesog.com", Info: "Gerado por Pix-Utils", Amount: 100, MerchantName: "Thales Ogliari",
			MerchantCity: "Sao Paulo"}},
	{"00020126650014br.gov.bcb.pix0119nubank@thalesog.com0220Gerado por " +
		"Pix-Utils52040000530398654041.005802BR5914Thales Ogliari6015SAO MIGUEL DO O62070503***6304059A", everyone,
		pix.Code{Key: "nubank@thalesog.com", Info: "Gerado por Pix-Utils", Amount: 100, MerchantName: "Thales Ogliari",
			MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5" +
		"912BARBARA PELE6015SAO MIGUEL DO O62070503***63040433", everyone,
		pix.Code{Location: "payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87", MerchantName: "BARBARA PELE",
			MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5" +
		"914THALES OGLIARI6015SAO MIGUEL DO O62070503***630442C5", everyone,
		pix.Code{Location: "payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87", MerchantName: "THALES OGLIARI",
			MerchantCity: "SAO MIGUEL DO O"}},
	{"00020126780014br.gov.bcb.pix0136f4c6089a-bfde-4c00-a2d9-9eaa584b02190216CobrancaEstatica520400005303986540" +
		"6650.345802BR5903Pix6008BRASILIA6229052580a2d0a923984e8dbb80b4adf80950014br.gov.bcb.pix2573qr-h.sandbox" +
		".pix.bcb.gov.br/rest/api/rec/d7913bcbfc4947c9811669db12b403746304595A", everyone,
		pix.Code{Key: "f4c6089a-bfde-4c00-a2d9-9eaa584b0219", Info: "CobrancaEstatica",
			Recurrence: "qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/d7913bcbfc4947c9811669db12b40374", Amount: 65034,
			MerchantName: "Pix", MerchantCity: "BRASILIA", TxID: "80a2d0a923984e8dbb80b4adf"}},
	{"00020126950014br.gov.bcb.pix01364004901d-bd85-4769-8e52-cb4c42c506dc0221Jornada pagador " +
		"431070308999990085204000053039865406577.575802BR5903Pix6008BRASILIA6229052599ed983ea570413d8d336301d630418B7",
		everyone, pix.Code{Key: "4004901d-bd85-4769-8e52-cb4c42c506dc", Info: "Jornada pagador 43107", Amount: 57757,
			MerchantName: "Pix", MerchantCity: "BRASILIA", TxID: "99ed983ea570413d8d336301d"}},
	{"00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES " +
		"OGLIARI6013SAO MIGUEL DO62070503***63046CDA", everyone,
		pix.Code{Key: "thalesog@me.com", Info: "Pedido 123", Amount: 1000, MerchantName: "THALES OGLIARI",
			MerchantCity: "SAO MIGUEL DO"}},
	{"00020126740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5" +
		"914THALES OGLIARI6013SAO MIGUEL DO62070503***63047E8D", everyone,
		pix.Code{Location: "payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87", MerchantName: "THALES OGLIARI",
			MerchantCity: "SAO MIGUEL DO"}},
	{"00020101021226820014br.gov.bcb.pix2560exemplodeurl.com/pix/v2/11111111-1111-1111-1111-11111111111152040000" +
		"530398654045.805802BR5925TESTE DO TESTE DO TESTEIE6014RIO DE " +
		"JANEIRO622905251111111111111111111111111630449F9", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "exemplodeurl.com/pix/v2/11111111-1111-1111-1111-111111111111",
			Amount: 580, MerchantName: "TESTE DO TESTE DO TESTEIE", MerchantCity: "RIO DE JANEIRO",
			TxID: "1111111111111111111111111"}},
	{"00020101021226850014br.gov.bcb.pix2563exemplodeurl.com.br/pix/v2/11111111-1111-1111-1111-11111111111152040" +
		"000530398654040.015802BR5925TESTE DE TESTE DO TESTEIE6014RIO DE JANEIRO62070503***6304CD52", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "exemplodeurl.com.br/pix/v2/11111111-1111-1111-1111-111111111111",
			Amount: 1, MerchantName: "TESTE DE TESTE DO TESTEIE", MerchantCity: "RIO DE JANEIRO"}},
	{"00020101021226850014br.gov.bcb.pix2563exemplodeurl2.com.br/qr/v2/11111111-1111-1111-1111-11111111111152040" +
		"000530398654041.005802BR5925TESTE DO TESTE DO TESTEIE6009NOVA LIMA62070503***63040B0F", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "exemplodeurl2.com.br/qr/v2/11111111-1111-1111-1111-111111111111",
			Amount: 100, MerchantName: "TESTE DO TESTE DO TESTEIE", MerchantCity: "NOVA LIMA"}},
	{"00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO" +
		"011001234567895204000053039865406123.455802BR5915NOMEDORECEBEDOR6008BRASILIA61087007490062530515RP12345" +
		"6789201950300017BR.GOV.BCB.PIX12301051.0.080450014BR.GOV.BCB.PIX0123PADRAO.URL.PIX/0123ABCD81390012BR.C" +
		"OM.OUTRO01190123.ABCD.3456.WXYZ889900958888888888888888888888888888888888888888888888888888888888888888" +
		"8888888888888888888888888888888895500519090909090909090909090909090909090909090909090909096304ABE9", everyone,
		pix.Code{Key: "123e4567-e12b-12d1-a456-426655440000", Amount: 12345, MerchantName: "NOMEDORECEBEDOR",
			MerchantCity: "BRASILIA", PostalCode: "70074900", TxID: "RP1234567892019"}},
	{"00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO" +
		"011001234567895204000053039865406123.455802BR5917NOME DO " +
		"RECEBEDOR6008BRASILIA610870074900622005161234567890👀1234580390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ630" +
		"475EF", lenient,
		pix.Code{Key: "123e4567-e12b-12d1-a456-426655440000", Amount: 12345, MerchantName: "NOME DO RECEBEDOR",
			MerchantCity: "BRASILIA", PostalCode: "70074900", TxID: "1234567890👀12345"}},
	{"00020126490014BR.GOV.BCB.PIX0111111111111110212Vacina " +
		"covid5204000053039865402105802BR5904CARL6010SAN.FIERRO62090505o1ab46304970D", lenient,
		pix.Code{Key: "11111111111", Info: "Vacina covid", Amount: 1000, MerchantName: "CARL",
			MerchantCity: "SAN.FIERRO", TxID: "o1ab4"}},
	{"00020126490014BR.GOV.BCB.PIX0111111111111110212Vacina " +
		"covid52040000530398654030.95802BR5904CARL6010SAN.FIERRO62100506b4b4c463044D69", lenient,
		pix.Code{Key: "11111111111", Info: "Vacina covid", Amount: 90, MerchantName: "CARL", MerchantCity: "SAN.FIERRO",
			TxID: "b4b4c4"}},
	{"00020126490014BR.GOV.BCB.PIX0111111111111110212Vacina " +
		"covid520400005303986540310.5802BR5904CARL6010SAN.FIERRO62100506b4b4c463049878", lenient,
		pix.Code{Key: "11111111111", Info: "Vacina covid", Amount: 1000, MerchantName: "CARL",
			MerchantCity: "SAN.FIERRO", TxID: "b4b4c4"}},
	{"00020126490014BR.GOV.BCB.PIX0111111111111110212Vacina " +
		"covid52040000530398654031005802BR5904CARL6010SAN.FIERRO62100506b4b4c46304040C", lenient,
		pix.Code{Key: "11111111111", Info: "Vacina covid", Amount: 10000, MerchantName: "CARL",
			MerchantCity: "SAN.FIERRO", TxID: "b4b4c4"}},
	{"00020126580014BR.GOV.BCB.PIX013611111111-1111-1111-1111-11111111111152040000530398654040.015802BR5925TESTE DO " +
		"TESTE DO TESTEIE6009SAO PAULO6226052211111111111111111111116304642D", everyone,
		pix.Code{Key: "11111111-1111-1111-1111-111111111111", Amount: 1, MerchantName: "TESTE DO TESTE DO TESTEIE",
			MerchantCity: "SAO PAULO", TxID: "1111111111111111111111"}},
	{"00020126580014BR.GOV.BCB.PIX013611111111-1111-1111-1111-11111111111152040000530398654040.015802BR5925Teste do " +
		"Teste do TesteIE6009SAO PAULO61081111111162160512NUgpnvaS87Ts6304760E", everyone,
		pix.Code{Key: "11111111-1111-1111-1111-111111111111", Amount: 1, MerchantName: "Teste do Teste do TesteIE",
			MerchantCity: "SAO PAULO", PostalCode: "11111111", TxID: "NUgpnvaS87Ts"}},
	{"00020126580014BR.GOV.BCB.PIX013611111111-1111-1111-1111-11111111111152040000530398654040.015802BR5925Teste do " +
		"Teste do TesteIE6009SAO PAULO610911111111162160512NUgpnvaS87Ts630452B6", lenient,
		pix.Code{Key: "11111111-1111-1111-1111-111111111111", Amount: 1, MerchantName: "Teste do Teste do TesteIE",
			MerchantCity: "SAO PAULO", PostalCode: "111111111", TxID: "NUgpnvaS87Ts"}},
	{"00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***63041D3D", everyone,
		pix.Code{Key: "123e4567-e12b-12d1-a456-426655440000", MerchantName: "Fulano de Tal", MerchantCity: "BRASILIA"}},
	{"00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de " +
		"Tal6008BRASÍLIA62070503***6304B4F6", lenient,
		pix.Code{Key: "123e4567-e12b-12d1-a456-426655440000", MerchantName: "Fulano de Tal", MerchantCity: "BRASÍLIA"}},
	{"00020126610014BR.GOV.BCB.PIX0111111111111110212Vacina " +
		"covid03081650155552040000530398654031005802BR5904CARL6010SAN.FIERRO62070503aB16304327E", lenient,
		pix.Code{Key: "11111111111", Info: "Vacina covid", Amount: 10000, MerchantName: "CARL",
			MerchantCity: "SAN.FIERRO", TxID: "aB1"}},
	{"00020126830014br.gov.bcb.pix01364004901d-bd85-4769-8e52-cb4c42c506dc0221Jornada pagador " +
		"57768520400005303986540573.625802BR5903Pix6008Brasília62080504oooo6304B243", lenient,
		pix.Code{Key: "4004901d-bd85-4769-8e52-cb4c42c506dc", Info: "Jornada pagador 57768", Amount: 7362,
			MerchantName: "Pix", MerchantCity: "Brasília", TxID: "oooo"}},
	{"00020126830014br.gov.bcb.pix01364004901d-bd85-4769-8e52-cb4c42c506dc0221Jornada pagador " +
		"57768520400005303986540573.625802BR5926BANCOCENTRALDOBRASIL0003816008BRASILIA62080504oooo6304EFF5", lenient,
		pix.Code{Key: "4004901d-bd85-4769-8e52-cb4c42c506dc", Info: "Jornada pagador 57768", Amount: 7362,
			MerchantName: "BANCOCENTRALDOBRASIL000381", MerchantCity: "BRASILIA", TxID: "oooo"}},
	{"00020126990014br.gov.bcb.pix2577https://qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/ac8ab4efe7db4200885f5ab3c3" +
		"4725204000053039865802BR5903Pix6008BRASILIA62070503***63041043", lenient,
		pix.Code{Location: "qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/ac8ab4efe7db4200885f5ab3c3472", MerchantName: "Pix",
			MerchantCity: "BRASILIA"}},
	{"00020126990014br.gov.bcb.pix2577qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/cobv/9b95a87c10a84d65bcbf55a48a2e5" +
		"0c85204000053039865802BR5903Pix6008BRASILIA62070503***63048ECF", everyone,
		pix.Code{Location: "qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/cobv/9b95a87c10a84d65bcbf55a48a2e50c8",
			MerchantName: "Pix", MerchantCity: "BRASILIA"}},
	{"00020101021226740014br.gov.bcb.spi210812345678220412342308123456782420001122334455667788995204000053039865" +
		"406123.455802BR5913FULANO DE TAL6008BRASILIA62190515RP12345678-201980720014br.gov.bcb.spi2550bx.com.br/" +
		"spi/U0VHUkVET1RPVEFMTUVOVEVBTEVBVE9SSU8=630434D1", nobody, pix.Code{}},
	{"00020104141234567890123426500014BR.GOV.BCB.PIX0111119998877660213Hello " +
		"message27300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO " +
		"RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ63049059",
		lenient, pix.Code{Key: "11999887766", Info: "Hello message", Amount: 12345, MerchantName: "NOME DO RECEBEDOR",
			MerchantCity: "BRASILIA", PostalCode: "70074900", TxID: "RP12345678-2019"}},
	{"00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO" +
		"011001234567895204000053039865406123.455802BR5917NOME DO " +
		"RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304" +
		"AD38", lenient,
		pix.Code{Key: "123e4567-e12b-12d1-a456-426655440000", Amount: 12345, MerchantName: "NOME DO RECEBEDOR",
			MerchantCity: "BRASILIA", PostalCode: "70074900", TxID: "RP12345678-2019"}},
	{"00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd44152040000530398" +
		"65802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed" +
		"2badcbc04c15b0bb7fa35319489063047741", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441",
			Recurrence: "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890", MerchantName: "Fulano de Tal",
			MerchantCity: "BRASILIA"}},
	{"00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7520400005" +
		"3039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec" +
		"/3ffa640fa4f14080adccb949fa2dc0d06304A441", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7",
			Recurrence: "pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d0", MerchantName: "Fulano de Tal",
			MerchantCity: "BRASILIA"}},
	{"00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242a" +
		"c120002630462C9", everyone, pix.Code{Recurrence: "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
		MerchantName: "Fulano de Tal", MerchantCity: "BRASILIA"}},
	{"00020101021226830014BR.GOV.BCB.PIX2561qrcodespix.sejaefi.com.br/v2/ff719c748dc244a294adee9174ace3795204000" +
		"053039865802BR5905EFISA6008SAOPAULO62070503***6304BAC4", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "qrcodespix.sejaefi.com.br/v2/ff719c748dc244a294adee9174ace379",
			MerchantName: "EFISA", MerchantCity: "SAOPAULO"}},
	{"00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039" +
		"865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB", everyone,
		pix.Code{Initiation: pix.SingleUse, Location: "pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99",
			MerchantName: "EMPRESA", MerchantCity: "SAO PAULO"}},
	{"00020126360014BR.GOV.BCB.PIX0114+5511943214321520400005303986540566.665802BR5907EMPRESA6008BRASILIA6208050" +
		"3***6304170E", nobody, pix.Code{}},
	{"00020101021226980014br.gov.bcb.pix2576api.woovi-sandbox.com/api/testaccount/qr/v1/d983a07836cf48ed9a65764d" +
		"3c18427352040000530398654040.015802BR5921Lucas_Aprigio_Sandbox6009Sao_Paulo62290525d983a07836cf48ed9a65" +
		"764d363046759", everyone,
		pix.Code{Initiation: pix.SingleUse,
			Location: "api.woovi-sandbox.com/api/testaccount/qr/v1/d983a07836cf48ed9a65764d3c184273", Amount: 1,
			MerchantName: "Lucas_Aprigio_Sandbox", MerchantCity: "Sao_Paulo", TxID: "d983a07836cf48ed9a65764d3"}},
}

// broken are codes with one error each.
var broken = []vector{
	{"00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***63041D3E", nobody, pix.Code{}}, // wrong CRC
	{"00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5914Fulano de " +
		"Tal6008BRASILIA62070503***63041D3D", nobody, pix.Code{}}, // TLV length shifted, CRC stale
	{"00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***63041D3D00", nobody, pix.Code{}}, // data after tag 63
	{"00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***", nobody, pix.Code{}}, // tag 63 missing
	// three-digit length in tag 26: the account overflows its template
	{"000201261750014br.gov.bcb.pix0177xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
		"xxxx0272yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy5204000053039865802BR59" +
		"01A6001B62070503***6304AF91", nobody, pix.Code{}},
	{"00020101021226610014br.gov.bcb.pix2539pix.example.com/qr/v2/aaaaaaaaaaaaaaaaa", nobody, pix.Code{}}, // truncated
}
