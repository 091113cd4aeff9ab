import type { Language } from '@quittance/pages/locale'

const en = {
  title: 'Stop reminders',
  text: 'You get a mail before a yearly subscription renews or a trial ends. Receipts and other mails about your purchases still come.',
  stop: 'Stop these reminders',
  stoppedTitle: 'Reminders are stopped',
  stopped: 'You get no more of these reminders from this seller.',
}

/** Words of the page that stops reminders. */
export const reminderWords: Record<Language, typeof en> = {
  en,
  ar: {
    title: 'إيقاف التذكيرات',
    text: 'تصلك رسالة قبل تجديد الاشتراك السنوي أو انتهاء التجربة. ستستمر الإيصالات والرسائل الأخرى المتعلقة بمشترياتك في الوصول.',
    stop: 'إيقاف هذه التذكيرات',
    stoppedTitle: 'تم إيقاف التذكيرات',
    stopped: 'لن تصلك هذه التذكيرات من هذا البائع بعد الآن.',
  },
  de: {
    title: 'Erinnerungen abbestellen',
    text: 'Vor der Verlängerung eines Jahresabonnements und dem Ende einer Testphase erhalten Sie eine E-Mail. Belege und andere E-Mails zu Ihren Käufen kommen weiterhin.',
    stop: 'Diese Erinnerungen abbestellen',
    stoppedTitle: 'Die Erinnerungen sind abbestellt',
    stopped: 'Sie erhalten von diesem Verkäufer keine dieser Erinnerungen mehr.',
  },
  es: {
    title: 'Dejar de recibir recordatorios',
    text: 'Recibe un correo antes de que se renueve una suscripción anual o termine una prueba. Los recibos y otros correos sobre sus compras seguirán llegando.',
    stop: 'No recibir más estos recordatorios',
    stoppedTitle: 'Los recordatorios se han detenido',
    stopped: 'Ya no recibirá estos recordatorios de este vendedor.',
  },
  fr: {
    title: 'Ne plus recevoir de rappels',
    text: 'Vous recevez un e-mail avant le renouvellement d’un abonnement annuel ou la fin d’un essai. Les reçus et les autres e-mails sur vos achats continuent d’arriver.',
    stop: 'Ne plus recevoir ces rappels',
    stoppedTitle: 'Les rappels sont arrêtés',
    stopped: 'Vous ne recevrez plus ces rappels de ce vendeur.',
  },
  he: {
    title: 'הפסקת תזכורות',
    text: 'לפני חידוש של מינוי שנתי או סיום תקופת ניסיון נשלחת הודעת דוא״ל. קבלות והודעות אחרות על רכישות ימשיכו להגיע.',
    stop: 'הפסקת התזכורות האלה',
    stoppedTitle: 'התזכורות הופסקו',
    stopped: 'לא יישלחו עוד תזכורות כאלה מהמוכר הזה.',
  },
  it: {
    title: 'Interrompi i promemoria',
    text: 'Ricevi un’e-mail prima del rinnovo di un abbonamento annuale o della fine di una prova. Le ricevute e le altre e-mail sui tuoi acquisti continuano ad arrivare.',
    stop: 'Non ricevere più questi promemoria',
    stoppedTitle: 'I promemoria sono stati interrotti',
    stopped: 'Non riceverai più questi promemoria da questo venditore.',
  },
  ja: {
    title: 'お知らせの停止',
    text: '年間サブスクリプションの更新前や無料体験の終了前にメールが届きます。領収書など購入に関するメールは引き続き届きます。',
    stop: 'このお知らせを停止する',
    stoppedTitle: 'お知らせを停止しました',
    stopped: 'この販売者からのこのお知らせは今後届きません。',
  },
  ko: {
    title: '알림 중지',
    text: '연간 구독이 갱신되거나 체험이 종료되기 전에 메일을 받습니다. 영수증과 구매에 관한 다른 메일은 계속 받습니다.',
    stop: '이 알림 받지 않기',
    stoppedTitle: '알림이 중지되었습니다',
    stopped: '이 판매자의 이 알림을 더 이상 받지 않습니다.',
  },
  nl: {
    title: 'Herinneringen stoppen',
    text: 'U krijgt een e-mail voordat een jaarabonnement wordt verlengd of een proefperiode eindigt. Bonnen en andere e-mails over uw aankopen blijven komen.',
    stop: 'Deze herinneringen stoppen',
    stoppedTitle: 'De herinneringen zijn gestopt',
    stopped: 'U krijgt van deze verkoper deze herinneringen niet meer.',
  },
  pt: {
    title: 'Deixar de receber avisos',
    text: 'Recebe um e-mail antes da renovação de uma subscrição anual ou do fim de um período experimental. Os recibos e os outros e-mails sobre as suas compras continuam a chegar.',
    stop: 'Deixar de receber estes avisos',
    stoppedTitle: 'Os avisos foram parados',
    stopped: 'Já não recebe estes avisos deste vendedor.',
  },
  zh: {
    title: '停止提醒',
    text: '年度订阅续订或试用结束前，您会收到一封邮件。收据和有关购买的其他邮件仍会发送。',
    stop: '停止接收此类提醒',
    stoppedTitle: '提醒已停止',
    stopped: '您将不再收到该卖家的此类提醒。',
  },
  'zh-Hant': {
    title: '停止提醒',
    text: '年度訂閱續訂或試用結束前，您會收到一封郵件。收據和有關購買的其他郵件仍會寄送。',
    stop: '停止接收此類提醒',
    stoppedTitle: '提醒已停止',
    stopped: '您將不再收到該賣家的此類提醒。',
  },
}
