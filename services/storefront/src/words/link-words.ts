import type { Language } from '@quittance/pages/locale'

const en = {
  endedTitle: 'This offer has ended',
  ended: 'The products of this link are no longer sold. Nothing was ordered and nothing was charged. Ask the seller for another link.',
}

/** Words of links to buy. */
export const linkWords: Record<Language, typeof en> = {
  en,
  ar: {
    endedTitle: 'انتهى هذا العرض',
    ended: 'لم تعد منتجات هذا الرابط معروضة للبيع. لم يُطلب شيء ولم يُخصم أي مبلغ. اطلب من البائع رابطًا آخر.',
  },
  de: {
    endedTitle: 'Dieses Angebot ist beendet',
    ended:
      'Die Produkte dieses Links werden nicht mehr verkauft. Es wurde nichts bestellt und nichts abgebucht. Bitten Sie den Verkäufer um einen anderen Link.',
  },
  es: {
    endedTitle: 'Esta oferta ha terminado',
    ended: 'Los productos de este enlace ya no se venden. No se ha pedido ni cobrado nada. Pida otro enlace al vendedor.',
  },
  fr: {
    endedTitle: 'Cette offre est terminée',
    ended: 'Les produits de ce lien ne sont plus vendus. Rien n’a été commandé ni débité. Demandez un autre lien au vendeur.',
  },
  he: {
    endedTitle: 'ההצעה הזו הסתיימה',
    ended: 'המוצרים של הקישור הזה אינם נמכרים עוד. דבר לא הוזמן ולא נגבה כסף. יש לבקש מהמוכר קישור אחר.',
  },
  it: {
    endedTitle: 'Questa offerta è terminata',
    ended:
      'I prodotti di questo link non sono più in vendita. Non è stato ordinato né addebitato nulla. Chiedi un altro link al venditore.',
  },
  ja: {
    endedTitle: 'この販売は終了しました',
    ended: 'このリンクの商品は現在販売されていません。注文も請求も行われていません。販売者に別のリンクをお問い合わせください。',
  },
  ko: {
    endedTitle: '이 판매는 종료되었습니다',
    ended: '이 링크의 상품은 더 이상 판매되지 않습니다. 주문되거나 청구된 것은 없습니다. 판매자에게 다른 링크를 요청하세요.',
  },
  nl: {
    endedTitle: 'Dit aanbod is beëindigd',
    ended:
      'De producten van deze link worden niet meer verkocht. Er is niets besteld en niets afgeschreven. Vraag de verkoper om een andere link.',
  },
  pt: {
    endedTitle: 'Esta oferta terminou',
    ended: 'Os produtos desta ligação já não são vendidos. Nada foi encomendado nem cobrado. Peça outra ligação ao vendedor.',
  },
  zh: {
    endedTitle: '此优惠已结束',
    ended: '此链接中的产品已停止销售。未下单，也未扣款。请向卖家索取其他链接。',
  },
  'zh-Hant': {
    endedTitle: '此優惠已結束',
    ended: '此連結中的產品已停止銷售。未下單，也未扣款。請向賣家索取其他連結。',
  },
}
