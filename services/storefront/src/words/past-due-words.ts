import type { Language } from '@quittance/pages/locale'

const en = {
  declined: 'The last payment was declined.',
  retriedOn: (date: string) => `The payment is tried again on ${date}.`,
  notRetried: 'The payment is not tried again by itself: pay now, with another payment method or by confirming it with your bank.',
  endsUnpaid: (date: string) => `Without a payment, the subscription ends on ${date}.`,
}

/** Words about what follows while a subscription owes a payment. */
export const pastDueWords: Record<Language, typeof en> = {
  en,
  ar: {
    declined: 'رُفضت آخر عملية دفع.',
    retriedOn: (date) => `تُعاد محاولة الدفع في ${date}.`,
    notRetried: 'لن تُعاد محاولة الدفع تلقائيًا: ادفع الآن بوسيلة دفع أخرى، أو بتأكيد الدفع لدى مصرفك.',
    endsUnpaid: (date) => `من دون دفع ينتهي الاشتراك في ${date}.`,
  },
  de: {
    declined: 'Die letzte Zahlung wurde abgelehnt.',
    retriedOn: (date) => `Die Zahlung wird am ${date} erneut versucht.`,
    notRetried:
      'Die Zahlung wird nicht von selbst wiederholt: Bezahlen Sie jetzt, mit einer anderen Zahlungsart oder indem Sie die Zahlung bei Ihrer Bank bestätigen.',
    endsUnpaid: (date) => `Ohne Zahlung endet das Abonnement am ${date}.`,
  },
  es: {
    declined: 'El último pago se ha rechazado.',
    retriedOn: (date) => `El pago se intentará de nuevo el ${date}.`,
    notRetried: 'El pago no se intenta de nuevo automáticamente: pague ahora, con otro medio de pago o confirmándolo con su banco.',
    endsUnpaid: (date) => `Sin un pago, la suscripción termina el ${date}.`,
  },
  fr: {
    declined: 'Le dernier paiement a été refusé.',
    retriedOn: (date) => `Le paiement sera tenté de nouveau le ${date}.`,
    notRetried:
      'Le paiement n’est pas retenté automatiquement : payez maintenant, avec un autre moyen de paiement ou en le confirmant auprès de votre banque.',
    endsUnpaid: (date) => `Sans paiement, l’abonnement prend fin le ${date}.`,
  },
  he: {
    declined: 'התשלום האחרון נדחה.',
    retriedOn: (date) => `התשלום ינוסה שוב ב-${date}.`,
    notRetried: 'לא ייעשה ניסיון תשלום נוסף באופן אוטומטי: יש לשלם עכשיו, באמצעי תשלום אחר או באישור התשלום מול הבנק שלך.',
    endsUnpaid: (date) => `בלי תשלום המינוי מסתיים ב-${date}.`,
  },
  it: {
    declined: 'L’ultimo pagamento è stato rifiutato.',
    retriedOn: (date) => `Il pagamento verrà ritentato il ${date}.`,
    notRetried:
      'Il pagamento non viene ritentato automaticamente: paga adesso, con un altro metodo di pagamento o confermandolo presso la tua banca.',
    endsUnpaid: (date) => `Senza un pagamento, l’abbonamento termina il ${date}.`,
  },
  ja: {
    declined: '前回のお支払いは拒否されました。',
    retriedOn: (date) => `お支払いは ${date} に再試行されます。`,
    notRetried: 'お支払いは自動的に再試行されません。別のお支払い方法を使うか、ご利用の銀行でお支払いを確認して、今すぐお支払いください。',
    endsUnpaid: (date) => `お支払いがない場合、サブスクリプションは ${date} に終了します。`,
  },
  ko: {
    declined: '마지막 결제가 거부되었습니다.',
    retriedOn: (date) => `${date}에 결제를 다시 시도합니다.`,
    notRetried: '결제는 자동으로 다시 시도되지 않습니다. 다른 결제 수단을 사용하거나 은행에서 결제를 확인하여 지금 결제하세요.',
    endsUnpaid: (date) => `결제하지 않으면 구독이 ${date}에 종료됩니다.`,
  },
  nl: {
    declined: 'De laatste betaling is geweigerd.',
    retriedOn: (date) => `De betaling wordt op ${date} opnieuw geprobeerd.`,
    notRetried:
      'De betaling wordt niet vanzelf opnieuw geprobeerd: betaal nu met een andere betaalmethode, of bevestig de betaling bij uw bank.',
    endsUnpaid: (date) => `Zonder betaling eindigt het abonnement op ${date}.`,
  },
  pt: {
    declined: 'O último pagamento foi recusado.',
    retriedOn: (date) => `O pagamento será tentado de novo em ${date}.`,
    notRetried:
      'O pagamento não é tentado de novo automaticamente: pague agora, com outro método de pagamento ou confirmando-o junto do seu banco.',
    endsUnpaid: (date) => `Sem um pagamento, a assinatura termina em ${date}.`,
  },
  zh: {
    declined: '上次付款被拒绝。',
    retriedOn: (date) => `系统将于 ${date} 再次尝试扣款。`,
    notRetried: '系统不会自动再次扣款：请立即付款，使用其他付款方式，或向您的银行确认付款。',
    endsUnpaid: (date) => `如果不付款，订阅将于 ${date} 结束。`,
  },
  'zh-Hant': {
    declined: '上次付款遭拒絕。',
    retriedOn: (date) => `系統將於 ${date} 再次嘗試扣款。`,
    notRetried: '系統不會自動再次扣款：請立即付款，使用其他付款方式，或向您的銀行確認付款。',
    endsUnpaid: (date) => `如果不付款，訂閱將於 ${date} 結束。`,
  },
}
