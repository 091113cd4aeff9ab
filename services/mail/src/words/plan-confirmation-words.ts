import type { MailText } from './declaration-words.ts'

/** The request to confirm the payment of a change of plan, which the bank of the customer demands. */
export const planConfirmationWords: Readonly<Record<string, MailText>> = {
  en: {
    subject: 'Confirm your change to {product}',
    title: 'Please confirm the payment',
    text: 'Your bank asks you to confirm the payment of {amount} for your change to {product}. Without your confirmation, your plan at {seller} stays the one before. If you have confirmed already, you need not do anything.',
  },
  ar: {
    subject: 'أكّد انتقالك إلى {product}',
    title: 'يُرجى تأكيد الدفع',
    text: 'يطلب مصرفك منك تأكيد دفع {amount} مقابل انتقالك إلى {product}. من دون تأكيدك تبقى خطتك لدى {seller} كما كانت. إذا كنت قد أكّدت الدفع، فلا يلزمك فعل شيء.',
  },
  de: {
    subject: 'Bestätigen Sie Ihren Wechsel zu {product}',
    title: 'Bitte bestätigen Sie die Zahlung',
    text: 'Ihre Bank bittet Sie, die Zahlung von {amount} für Ihren Wechsel zu {product} zu bestätigen. Ohne Ihre Bestätigung bleibt Ihr Tarif bei {seller} der bisherige. Haben Sie bereits bestätigt, müssen Sie nichts tun.',
  },
  es: {
    subject: 'Confirme su cambio a {product}',
    title: 'Confirme el pago',
    text: 'Su banco le pide que confirme el pago de {amount} por su cambio a {product}. Sin su confirmación, su plan en {seller} sigue siendo el anterior. Si ya lo ha confirmado, no tiene que hacer nada.',
  },
  fr: {
    subject: 'Confirmez votre passage à {product}',
    title: 'Veuillez confirmer le paiement',
    text: 'Votre banque vous demande de confirmer le paiement de {amount} pour votre passage à {product}. Sans votre confirmation, votre formule chez {seller} reste la précédente. Si vous avez déjà confirmé, vous n’avez rien à faire.',
  },
  he: {
    subject: 'יש לאשר את המעבר אל {product}',
    title: 'נא לאשר את התשלום',
    text: 'הבנק שלך מבקש לאשר את התשלום של {amount} עבור המעבר אל {product}. בלי אישור תישאר התוכנית שלך אצל {seller} כפי שהייתה. אם כבר אישרת, אין צורך לעשות דבר.',
  },
  it: {
    subject: 'Conferma il passaggio a {product}',
    title: 'Conferma il pagamento',
    text: 'La tua banca ti chiede di confermare il pagamento di {amount} per il passaggio a {product}. Senza la tua conferma, il tuo piano presso {seller} resta quello precedente. Se hai già confermato, non devi fare nulla.',
  },
  ja: {
    subject: '{product} への変更を確認してください',
    title: 'お支払いの確認をお願いします',
    text: '{product} への変更に伴う {amount} のお支払いについて、ご利用の銀行が確認を求めています。確認されない場合、{seller} でのプランは以前のままです。すでに確認済みの場合、お手続きは不要です。',
  },
  ko: {
    subject: '{product}(으)로의 변경을 확인해 주세요',
    title: '결제를 확인해 주세요',
    text: '{product}(으)로 변경하기 위한 {amount} 결제를 은행에서 확인해 달라고 요청했습니다. 확인하지 않으면 {seller}의 요금제는 이전 그대로 유지됩니다. 이미 확인하셨다면 아무것도 하지 않으셔도 됩니다.',
  },
  nl: {
    subject: 'Bevestig uw overstap naar {product}',
    title: 'Bevestig de betaling',
    text: 'Uw bank vraagt u de betaling van {amount} voor uw overstap naar {product} te bevestigen. Zonder uw bevestiging blijft uw abonnement bij {seller} het vorige. Als u al hebt bevestigd, hoeft u niets te doen.',
  },
  pt: {
    subject: 'Confirme a sua mudança para {product}',
    title: 'Confirme o pagamento',
    text: 'O seu banco pede-lhe que confirme o pagamento de {amount} pela mudança para {product}. Sem a sua confirmação, o seu plano em {seller} continua a ser o anterior. Se já confirmou, não precisa de fazer nada.',
  },
  zh: {
    subject: '请确认您更换为 {product}',
    title: '请确认付款',
    text: '您的银行要求您确认更换为 {product} 的付款 {amount}。如果您不确认，您在 {seller} 的套餐将保持不变。如果您已确认，则无需任何操作。',
  },
  'zh-Hant': {
    subject: '請確認您更換為 {product}',
    title: '請確認付款',
    text: '您的銀行要求您確認更換為 {product} 的付款 {amount}。如果您不確認，您在 {seller} 的方案將維持不變。如果您已確認，則無需任何操作。',
  },
}
