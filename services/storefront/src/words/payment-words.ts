import type { Language } from '@quittance/pages/locale'

const en = {
  loading: 'The payment form is loading.',
  notLoaded: 'The payment form could not be loaded. Check your connection, and load the page again.',
  needsScripts: 'This payment form needs scripts. Switch them on in your browser, and load the page again.',
  openAction: 'Open the step of your bank',
  actionFailed: 'The step of your bank was not completed. Open it again.',
  tooManyDeclines: (time: string) => `Several payments from your connection were declined. No money was taken. Try again after ${time}.`,
  mailFollows: 'The payment has not ended yet. You can close the page: a mail follows as soon as it is paid.',
  closeFrame: 'Close',
}

/** Words of payment forms that a provider serves. */
export const paymentWords: Record<Language, typeof en> = {
  en,
  ar: {
    loading: 'جارٍ تحميل نموذج الدفع.',
    notLoaded: 'تعذر تحميل نموذج الدفع. تحقق من اتصالك وأعد تحميل الصفحة.',
    needsScripts: 'يحتاج نموذج الدفع إلى النصوص البرمجية. فعّلها في متصفحك وأعد تحميل الصفحة.',
    openAction: 'فتح خطوة البنك',
    actionFailed: 'لم تكتمل خطوة البنك. افتحها مرة أخرى.',
    tooManyDeclines: (time: string) => `رُفضت عدة مدفوعات من اتصالك. لم يُخصم أي مبلغ. حاول مرة أخرى بعد ${time}.`,
    mailFollows: 'لم تنته عملية الدفع بعد. يمكنك إغلاق الصفحة: ستصلك رسالة بريد إلكتروني فور إتمام الدفع.',
    closeFrame: 'إغلاق',
  },
  de: {
    loading: 'Das Zahlungsformular wird geladen.',
    notLoaded: 'Das Zahlungsformular konnte nicht geladen werden. Prüfen Sie Ihre Verbindung, und laden Sie die Seite neu.',
    needsScripts: 'Dieses Zahlungsformular braucht Skripte. Schalten Sie sie im Browser ein, und laden Sie die Seite neu.',
    openAction: 'Schritt der Bank öffnen',
    actionFailed: 'Der Schritt der Bank wurde nicht abgeschlossen. Öffnen Sie ihn noch einmal.',
    tooManyDeclines: (time: string) =>
      `Mehrere Zahlungen von Ihrem Anschluss wurden abgelehnt. Es wurde kein Geld abgebucht. Versuchen Sie es nach ${time} noch einmal.`,
    mailFollows:
      'Die Zahlung ist noch nicht abgeschlossen. Sie können die Seite schließen: Eine E-Mail benachrichtigt Sie, sobald bezahlt ist.',
    closeFrame: 'Schließen',
  },
  es: {
    loading: 'El formulario de pago se está cargando.',
    notLoaded: 'No se ha podido cargar el formulario de pago. Compruebe su conexión y vuelva a cargar la página.',
    needsScripts: 'Este formulario de pago necesita scripts. Actívelos en el navegador y vuelva a cargar la página.',
    openAction: 'Abrir el paso de su banco',
    actionFailed: 'El paso de su banco no se ha completado. Ábralo de nuevo.',
    tooManyDeclines: (time: string) =>
      `Se han rechazado varios pagos desde su conexión. No se ha cobrado nada. Inténtelo de nuevo después de las ${time}.`,
    mailFollows: 'El pago aún no ha terminado. Puede cerrar la página: un correo le avisará en cuanto esté pagado.',
    closeFrame: 'Cerrar',
  },
  fr: {
    loading: 'Le formulaire de paiement se charge.',
    notLoaded: 'Le formulaire de paiement n’a pas pu être chargé. Vérifiez votre connexion et rechargez la page.',
    needsScripts: 'Ce formulaire de paiement a besoin de scripts. Activez-les dans votre navigateur et rechargez la page.',
    openAction: 'Ouvrir l’étape de votre banque',
    actionFailed: 'L’étape de votre banque n’a pas été terminée. Ouvrez-la de nouveau.',
    tooManyDeclines: (time: string) =>
      `Plusieurs paiements depuis votre connexion ont été refusés. Rien n’a été débité. Réessayez après ${time}.`,
    mailFollows: 'Le paiement n’est pas encore terminé. Vous pouvez fermer la page : un e-mail vous préviendra dès qu’il sera payé.',
    closeFrame: 'Fermer',
  },
  he: {
    loading: 'טופס התשלום נטען.',
    notLoaded: 'לא ניתן היה לטעון את טופס התשלום. יש לבדוק את החיבור ולטעון מחדש את הדף.',
    needsScripts: 'טופס התשלום דורש סקריפטים. יש להפעיל אותם בדפדפן ולטעון מחדש את הדף.',
    openAction: 'פתיחת השלב של הבנק',
    actionFailed: 'השלב של הבנק לא הושלם. יש לפתוח אותו שוב.',
    tooManyDeclines: (time: string) => `כמה תשלומים מהחיבור שלך נדחו. לא נגבה כסף. יש לנסות שוב אחרי ${time}.`,
    mailFollows: 'התשלום טרם הסתיים. אפשר לסגור את הדף: הודעת דוא״ל תעדכן אותך מיד כשההזמנה תשולם.',
    closeFrame: 'סגירה',
  },
  it: {
    loading: 'Il modulo di pagamento si sta caricando.',
    notLoaded: 'Non è stato possibile caricare il modulo di pagamento. Controlla la connessione e ricarica la pagina.',
    needsScripts: 'Questo modulo di pagamento richiede gli script. Attivali nel browser e ricarica la pagina.',
    openAction: 'Apri il passaggio della tua banca',
    actionFailed: 'Il passaggio della tua banca non è stato completato. Aprilo di nuovo.',
    tooManyDeclines: (time: string) =>
      `Diversi pagamenti dalla tua connessione sono stati rifiutati. Non è stato addebitato nulla. Riprova dopo le ${time}.`,
    mailFollows: 'Il pagamento non è ancora terminato. Puoi chiudere la pagina: un’e-mail ti avviserà appena sarà pagato.',
    closeFrame: 'Chiudi',
  },
  ja: {
    loading: '支払いフォームを読み込んでいます。',
    notLoaded: '支払いフォームを読み込めませんでした。接続を確認し、ページを再読み込みしてください。',
    needsScripts: 'この支払いフォームにはスクリプトが必要です。ブラウザで有効にし、ページを再読み込みしてください。',
    openAction: '銀行の手続きを開く',
    actionFailed: '銀行の手続きが完了していません。もう一度開いてください。',
    tooManyDeclines: (time: string) =>
      `お使いの接続からの複数の支払いが拒否されました。請求は発生していません。${time} 以降にもう一度お試しください。`,
    mailFollows: '支払いはまだ完了していません。このページは閉じてかまいません。支払いが完了するとメールでお知らせします。',
    closeFrame: '閉じる',
  },
  ko: {
    loading: '결제 양식을 불러오는 중입니다.',
    notLoaded: '결제 양식을 불러오지 못했습니다. 연결을 확인하고 페이지를 다시 불러오세요.',
    needsScripts: '이 결제 양식에는 스크립트가 필요합니다. 브라우저에서 켜고 페이지를 다시 불러오세요.',
    openAction: '은행 확인 단계 열기',
    actionFailed: '은행 확인 단계가 완료되지 않았습니다. 다시 여세요.',
    tooManyDeclines: (time: string) =>
      `사용 중인 연결에서 여러 결제가 거부되었습니다. 청구된 금액은 없습니다. ${time} 이후에 다시 시도하세요.`,
    mailFollows: '결제가 아직 끝나지 않았습니다. 페이지를 닫아도 됩니다. 결제가 완료되면 이메일로 알려 드립니다.',
    closeFrame: '닫기',
  },
  nl: {
    loading: 'Het betaalformulier wordt geladen.',
    notLoaded: 'Het betaalformulier kon niet worden geladen. Controleer uw verbinding en laad de pagina opnieuw.',
    needsScripts: 'Dit betaalformulier heeft scripts nodig. Zet ze aan in uw browser en laad de pagina opnieuw.',
    openAction: 'Stap van uw bank openen',
    actionFailed: 'De stap van uw bank is niet voltooid. Open hem opnieuw.',
    tooManyDeclines: (time: string) =>
      `Meerdere betalingen vanaf uw verbinding zijn geweigerd. Er is geen geld afgeschreven. Probeer het na ${time} opnieuw.`,
    mailFollows: 'De betaling is nog niet afgerond. U kunt de pagina sluiten: een e-mail laat u weten wanneer er is betaald.',
    closeFrame: 'Sluiten',
  },
  pt: {
    loading: 'O formulário de pagamento está a carregar.',
    notLoaded: 'Não foi possível carregar o formulário de pagamento. Verifique a ligação e carregue a página de novo.',
    needsScripts: 'Este formulário de pagamento precisa de scripts. Ative-os no navegador e carregue a página de novo.',
    openAction: 'Abrir o passo do seu banco',
    actionFailed: 'O passo do seu banco não foi concluído. Abra-o de novo.',
    tooManyDeclines: (time: string) =>
      `Vários pagamentos da sua ligação foram recusados. Nada foi cobrado. Tente novamente depois das ${time}.`,
    mailFollows: 'O pagamento ainda não terminou. Pode fechar a página: um e-mail avisa assim que estiver pago.',
    closeFrame: 'Fechar',
  },
  zh: {
    loading: '正在加载付款表单。',
    notLoaded: '无法加载付款表单。请检查网络连接，然后重新加载页面。',
    needsScripts: '此付款表单需要脚本。请在浏览器中启用脚本，然后重新加载页面。',
    openAction: '打开银行验证步骤',
    actionFailed: '银行验证步骤未完成。请再次打开。',
    tooManyDeclines: (time: string) => `来自您的网络的多笔付款被拒绝。未扣款。请在 ${time} 之后重试。`,
    mailFollows: '付款尚未完成。您可以关闭此页面：付款成功后会有邮件通知您。',
    closeFrame: '关闭',
  },
  'zh-Hant': {
    loading: '正在載入付款表單。',
    notLoaded: '無法載入付款表單。請檢查網路連線，然後重新載入頁面。',
    needsScripts: '此付款表單需要指令碼。請在瀏覽器中啟用，然後重新載入頁面。',
    openAction: '開啟銀行驗證步驟',
    actionFailed: '銀行驗證步驟未完成。請再次開啟。',
    tooManyDeclines: (time: string) => `來自您的網路的多筆付款遭到拒絕。未扣款。請在 ${time} 之後再試。`,
    mailFollows: '付款尚未完成。您可以關閉此頁面：付款成功後會有郵件通知您。',
    closeFrame: '關閉',
  },
}
