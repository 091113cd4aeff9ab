/** What follows a failed payment. */
export interface FailedPaymentWords {
  /** With a next attempt. */
  retried: string
  /** Without one. */
  notRetried: string
  /** The end without a payment. */
  ends: string
}

export const failedPaymentWords: Readonly<Record<string, FailedPaymentWords>> = {
  en: {
    retried: 'The payment is tried again on {date}. You can also pay now.',
    notRetried:
      'The payment is not tried again by itself. Please pay now: with another payment method, or by confirming the payment with your bank.',
    ends: 'Without a payment, the subscription ends on {date}.',
  },
  ar: {
    retried: 'تُعاد محاولة الدفع في {date}. يمكنك أيضًا الدفع الآن.',
    notRetried: 'لن تُعاد محاولة الدفع تلقائيًا. يُرجى الدفع الآن: بوسيلة دفع أخرى، أو بتأكيد الدفع لدى مصرفك.',
    ends: 'من دون دفع ينتهي الاشتراك في {date}.',
  },
  de: {
    retried: 'Die Zahlung wird am {date} erneut versucht. Sie können auch jetzt bezahlen.',
    notRetried:
      'Die Zahlung wird nicht von selbst wiederholt. Bitte bezahlen Sie jetzt: mit einer anderen Zahlungsart, oder indem Sie die Zahlung bei Ihrer Bank bestätigen.',
    ends: 'Ohne Zahlung endet das Abonnement am {date}.',
  },
  es: {
    retried: 'El pago se intentará de nuevo el {date}. También puede pagar ahora.',
    notRetried: 'El pago no se intenta de nuevo automáticamente. Pague ahora: con otra forma de pago, o confirmando el pago con su banco.',
    ends: 'Sin un pago, la suscripción termina el {date}.',
  },
  fr: {
    retried: 'Le paiement sera tenté de nouveau le {date}. Vous pouvez aussi payer maintenant.',
    notRetried:
      'Le paiement n’est pas retenté automatiquement. Veuillez payer maintenant : avec un autre moyen de paiement, ou en confirmant le paiement auprès de votre banque.',
    ends: 'Sans paiement, l’abonnement prend fin le {date}.',
  },
  he: {
    retried: 'התשלום ינוסה שוב ב-{date}. אפשר גם לשלם עכשיו.',
    notRetried: 'לא ייעשה ניסיון תשלום נוסף באופן אוטומטי. נא לשלם עכשיו: באמצעי תשלום אחר, או באישור התשלום מול הבנק שלך.',
    ends: 'בלי תשלום המינוי מסתיים ב-{date}.',
  },
  it: {
    retried: 'Il pagamento verrà ritentato il {date}. Può anche pagare adesso.',
    notRetried:
      'Il pagamento non viene ritentato automaticamente. La preghiamo di pagare adesso: con un altro metodo di pagamento, o confermando il pagamento presso la sua banca.',
    ends: 'Senza un pagamento, l’abbonamento termina il {date}.',
  },
  ja: {
    retried: 'お支払いは {date} に再試行されます。今すぐお支払いいただくこともできます。',
    notRetried: 'お支払いは自動的に再試行されません。別のお支払い方法を使うか、ご利用の銀行でお支払いを確認して、今すぐお支払いください。',
    ends: 'お支払いがない場合、サブスクリプションは {date} に終了します。',
  },
  ko: {
    retried: '{date}에 결제를 다시 시도합니다. 지금 결제하실 수도 있습니다.',
    notRetried: '결제는 자동으로 다시 시도되지 않습니다. 다른 결제 수단을 사용하거나 은행에서 결제를 확인하여 지금 결제해 주세요.',
    ends: '결제하지 않으면 구독이 {date}에 종료됩니다.',
  },
  nl: {
    retried: 'De betaling wordt op {date} opnieuw geprobeerd. U kunt ook nu betalen.',
    notRetried:
      'De betaling wordt niet vanzelf opnieuw geprobeerd. Betaal nu met een andere betaalmethode, of bevestig de betaling bij uw bank.',
    ends: 'Zonder betaling eindigt het abonnement op {date}.',
  },
  pt: {
    retried: 'O pagamento será tentado de novo em {date}. Também pode pagar agora.',
    notRetried:
      'O pagamento não é tentado de novo automaticamente. Pague agora: com outro método de pagamento, ou confirmando o pagamento junto do seu banco.',
    ends: 'Sem um pagamento, a subscrição termina em {date}.',
  },
  zh: {
    retried: '系统将于 {date} 再次尝试扣款。您也可以立即付款。',
    notRetried: '系统不会自动再次扣款。请立即付款：使用其他付款方式，或向您的银行确认付款。',
    ends: '如果不付款，订阅将于 {date} 结束。',
  },
  'zh-Hant': {
    retried: '系統將於 {date} 再次嘗試扣款。您也可以立即付款。',
    notRetried: '系統不會自動再次扣款。請立即付款：使用其他付款方式，或向您的銀行確認付款。',
    ends: '如果不付款，訂閱將於 {date} 結束。',
  },
}
