import type { MailText } from './declaration-words.ts'

/** The announcement that a trial ends. */
export const trialWords: Readonly<Record<string, MailText>> = {
  en: {
    subject: 'Your trial of {product} ends on {date}',
    title: 'Your trial ends soon',
    text: 'The trial of {product} ends on {date}. If you have chosen a payment method, {amount} is charged then; you can cancel until then. Without one the subscription ends, and nothing is charged.',
  },
  ar: {
    subject: 'تنتهي تجربة {product} في {date}',
    title: 'تنتهي تجربتك قريبًا',
    text: 'تنتهي تجربة {product} في {date}. إذا اخترت طريقة دفع، يُخصم {amount} حينها، ويمكنك الإلغاء حتى ذلك الحين. وبدونها ينتهي الاشتراك ولا يُخصم أي مبلغ.',
  },
  de: {
    subject: 'Ihre Testphase von {product} endet am {date}',
    title: 'Ihre Testphase endet bald',
    text: 'Die Testphase von {product} endet am {date}. Wenn Sie eine Zahlungsart gewählt haben, wird dann {amount} abgebucht; bis dahin können Sie kündigen. Ohne Zahlungsart endet das Abonnement, und es wird nichts abgebucht.',
  },
  es: {
    subject: 'Su prueba de {product} termina el {date}',
    title: 'Su prueba termina pronto',
    text: 'La prueba de {product} termina el {date}. Si ha elegido una forma de pago, entonces se cobrarán {amount}; puede cancelar hasta entonces. Sin ella, la suscripción termina y no se cobra nada.',
  },
  fr: {
    subject: 'Votre essai de {product} se termine le {date}',
    title: 'Votre essai se termine bientôt',
    text: 'L’essai de {product} se termine le {date}. Si vous avez choisi un moyen de paiement, {amount} seront alors débités ; vous pouvez résilier jusque-là. Sans moyen de paiement, l’abonnement prend fin et rien n’est débité.',
  },
  he: {
    subject: 'תקופת הניסיון של {product} מסתיימת ב-{date}',
    title: 'תקופת הניסיון שלך מסתיימת בקרוב',
    text: 'תקופת הניסיון של {product} מסתיימת ב-{date}. אם נבחר אמצעי תשלום, ייגבו אז {amount}; אפשר לבטל עד אז. בלי אמצעי תשלום המינוי מסתיים, ולא נגבה דבר.',
  },
  it: {
    subject: 'La tua prova di {product} termina il {date}',
    title: 'La tua prova termina presto',
    text: 'La prova di {product} termina il {date}. Se hai scelto un metodo di pagamento, verranno addebitati {amount}; puoi disdire fino ad allora. Senza, l’abbonamento termina e non viene addebitato nulla.',
  },
  ja: {
    subject: '{product} の無料体験は {date} に終了します',
    title: '無料体験がまもなく終了します',
    text: '{product} の無料体験は {date} に終了します。支払い方法を選択している場合は、その日に {amount} が請求されます。それまでは解約できます。選択していない場合はサブスクリプションが終了し、請求は発生しません。',
  },
  ko: {
    subject: '{product} 체험이 {date}에 종료됩니다',
    title: '체험이 곧 종료됩니다',
    text: '{product} 체험이 {date}에 종료됩니다. 결제 수단을 선택하셨다면 그때 {amount}이(가) 청구되며, 그때까지 해지할 수 있습니다. 결제 수단이 없으면 구독이 종료되고 아무것도 청구되지 않습니다.',
  },
  nl: {
    subject: 'Uw proefperiode van {product} eindigt op {date}',
    title: 'Uw proefperiode eindigt binnenkort',
    text: 'De proefperiode van {product} eindigt op {date}. Als u een betaalmethode hebt gekozen, wordt dan {amount} afgeschreven; tot dan kunt u opzeggen. Zonder betaalmethode eindigt het abonnement en wordt er niets afgeschreven.',
  },
  pt: {
    subject: 'O seu período experimental de {product} termina em {date}',
    title: 'O seu período experimental termina em breve',
    text: 'O período experimental de {product} termina em {date}. Se escolheu um método de pagamento, serão então cobrados {amount}; pode cancelar até lá. Sem método de pagamento, a subscrição termina e nada é cobrado.',
  },
  zh: {
    subject: '{product} 的试用将于 {date} 结束',
    title: '您的试用即将结束',
    text: '{product} 的试用将于 {date} 结束。如果您已选择付款方式，届时将扣款 {amount}，在此之前您可以取消。如果没有选择，订阅将结束，不会扣款。',
  },
  'zh-Hant': {
    subject: '{product} 的試用將於 {date} 結束',
    title: '您的試用即將結束',
    text: '{product} 的試用將於 {date} 結束。如果您已選擇付款方式，屆時將扣款 {amount}，在此之前您可以取消。如果沒有選擇，訂閱將結束，不會扣款。',
  },
}
