import type { Language } from '@quittance/pages/locale'

const en = {
  /** The tax of the order belongs to another country or state. */
  place: 'The tax of this order was charged for another country or state. Ask the seller to correct the order.',
  sellerDetails: 'Your details are saved. The seller has to complete its own before it can issue the invoice. Ask the seller.',
}

/** Words of billing details that cannot be invoiced. */
export const invoiceErrorWords: Record<Language, typeof en> = {
  en,
  ar: {
    place: 'حُسبت ضريبة هذا الطلب لبلد آخر أو ولاية أخرى. اطلب من البائع تصحيح الطلب.',
    sellerDetails: 'تم حفظ بياناتك. على البائع أن يكمل بياناته قبل إصدار الفاتورة. تواصل مع البائع.',
  },
  de: {
    place:
      'Die Steuer dieser Bestellung wurde für ein anderes Land oder Bundesland berechnet. Bitten Sie den Verkäufer, die Bestellung zu korrigieren.',
    sellerDetails:
      'Ihre Angaben sind gespeichert. Der Verkäufer muss seine eigenen ergänzen, bevor er die Rechnung ausstellen kann. Wenden Sie sich an den Verkäufer.',
  },
  es: {
    place: 'El impuesto de este pedido se calculó para otro país o estado. Pida al vendedor que corrija el pedido.',
    sellerDetails: 'Sus datos se han guardado. El vendedor debe completar los suyos antes de emitir la factura. Consulte al vendedor.',
  },
  fr: {
    place: 'La taxe de cette commande a été calculée pour un autre pays ou État. Demandez au vendeur de corriger la commande.',
    sellerDetails:
      'Vos données sont enregistrées. Le vendeur doit compléter les siennes avant d’établir la facture. Adressez-vous au vendeur.',
  },
  he: {
    place: 'המס של הזמנה זו חושב עבור מדינה או אזור אחרים. יש לבקש מהמוכר לתקן את ההזמנה.',
    sellerDetails: 'הפרטים שלך נשמרו. על המוכר להשלים את פרטיו לפני הפקת החשבונית. יש לפנות אל המוכר.',
  },
  it: {
    place: 'L’imposta di questo ordine è stata calcolata per un altro Paese o Stato. Chiedi al venditore di correggere l’ordine.',
    sellerDetails: 'I tuoi dati sono salvati. Il venditore deve completare i propri prima di emettere la fattura. Rivolgiti al venditore.',
  },
  ja: {
    place: 'この注文の税は別の国または州に対して計算されました。販売者に注文の訂正を依頼してください。',
    sellerDetails: '入力内容は保存されました。請求書を発行するには、販売者が自身の情報を補う必要があります。販売者にお問い合わせください。',
  },
  ko: {
    place: '이 주문의 세금은 다른 국가 또는 주를 기준으로 계산되었습니다. 판매자에게 주문 정정을 요청해 주세요.',
    sellerDetails: '입력하신 정보가 저장되었습니다. 판매자가 자신의 정보를 보완해야 청구서를 발행할 수 있습니다. 판매자에게 문의해 주세요.',
  },
  nl: {
    place:
      'De belasting van deze bestelling is voor een ander land of een andere staat berekend. Vraag de verkoper de bestelling te corrigeren.',
    sellerDetails:
      'Uw gegevens zijn opgeslagen. De verkoper moet eerst de eigen gegevens aanvullen om de factuur op te maken. Neem contact op met de verkoper.',
  },
  pt: {
    place: 'O imposto desta encomenda foi calculado para outro país ou estado. Peça ao vendedor que corrija a encomenda.',
    sellerDetails: 'Os seus dados foram guardados. O vendedor tem de completar os seus antes de emitir a fatura. Contacte o vendedor.',
  },
  zh: {
    place: '此订单的税款是按其他国家或地区计算的。请联系卖家更正订单。',
    sellerDetails: '您的信息已保存。卖家需要先补充自己的信息才能开具发票。请联系卖家。',
  },
  'zh-Hant': {
    place: '此訂單的稅款是按其他國家或地區計算的。請聯絡賣家更正訂單。',
    sellerDetails: '您的資料已儲存。賣家需要先補充自己的資料才能開立發票。請聯絡賣家。',
  },
}
