import type { MailText } from './declaration-words.ts'

/** The reminder of a yearly renewal. */
export interface ReminderWords extends MailText {
  /** Label of the link that stops reminders. */
  stop: string
}

export const reminderWords: Readonly<Record<string, ReminderWords>> = {
  en: {
    subject: '{product} renews on {date}',
    title: 'Your subscription renews soon',
    text: '{product} renews on {date}, and {amount} is charged. You can cancel until then.',
    stop: 'Stop these reminders',
  },
  ar: {
    subject: 'يتجدد {product} في {date}',
    title: 'سيتجدد اشتراكك قريبًا',
    text: 'يتجدد {product} في {date} ويُخصم {amount}. يمكنك الإلغاء حتى ذلك الحين.',
    stop: 'إيقاف هذه التذكيرات',
  },
  de: {
    subject: '{product} verlängert sich am {date}',
    title: 'Ihr Abonnement verlängert sich bald',
    text: '{product} verlängert sich am {date}, und {amount} wird abgebucht. Bis dahin können Sie kündigen.',
    stop: 'Diese Erinnerungen abbestellen',
  },
  es: {
    subject: '{product} se renueva el {date}',
    title: 'Su suscripción se renovará pronto',
    text: '{product} se renueva el {date} y se cobrarán {amount}. Puede cancelar hasta entonces.',
    stop: 'No recibir más estos recordatorios',
  },
  fr: {
    subject: '{product} sera renouvelé le {date}',
    title: 'Votre abonnement sera bientôt renouvelé',
    text: '{product} sera renouvelé le {date}, et {amount} seront débités. Vous pouvez résilier jusque-là.',
    stop: 'Ne plus recevoir ces rappels',
  },
  he: {
    subject: '{product} יתחדש ב-{date}',
    title: 'המינוי שלך יתחדש בקרוב',
    text: '{product} יתחדש ב-{date}, וייגבו {amount}. אפשר לבטל עד אז.',
    stop: 'הפסקת התזכורות האלה',
  },
  it: {
    subject: '{product} si rinnova il {date}',
    title: 'Il tuo abbonamento si rinnova presto',
    text: '{product} si rinnova il {date} e verranno addebitati {amount}. Puoi disdire fino ad allora.',
    stop: 'Non ricevere più questi promemoria',
  },
  ja: {
    subject: '{product} は {date} に更新されます',
    title: 'サブスクリプションがまもなく更新されます',
    text: '{product} は {date} に更新され、{amount} が請求されます。それまでは解約できます。',
    stop: 'このお知らせを停止する',
  },
  ko: {
    subject: '{product} 구독이 {date}에 갱신됩니다',
    title: '구독이 곧 갱신됩니다',
    text: '{product} 구독이 {date}에 갱신되고 {amount}이(가) 청구됩니다. 그때까지 해지할 수 있습니다.',
    stop: '이 알림 받지 않기',
  },
  nl: {
    subject: '{product} wordt verlengd op {date}',
    title: 'Uw abonnement wordt binnenkort verlengd',
    text: '{product} wordt verlengd op {date} en {amount} wordt afgeschreven. Tot dan kunt u opzeggen.',
    stop: 'Deze herinneringen stoppen',
  },
  pt: {
    subject: '{product} renova-se em {date}',
    title: 'A sua subscrição renova-se em breve',
    text: '{product} renova-se em {date} e serão cobrados {amount}. Pode cancelar até lá.',
    stop: 'Deixar de receber estes avisos',
  },
  zh: {
    subject: '{product} 将于 {date} 续订',
    title: '您的订阅即将续订',
    text: '{product} 将于 {date} 续订，届时扣款 {amount}。在此之前您可以取消。',
    stop: '停止接收此类提醒',
  },
  'zh-Hant': {
    subject: '{product} 將於 {date} 續訂',
    title: '您的訂閱即將續訂',
    text: '{product} 將於 {date} 續訂，屆時扣款 {amount}。在此之前您可以取消。',
    stop: '停止接收此類提醒',
  },
}
