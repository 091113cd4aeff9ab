import type { Language } from '@quittance/pages/locale'

const en = {
  change: 'Change e-mail address',
  lead: 'Enter the new address. A code is sent there, and once you enter it here, your address changes.',
  label: 'New e-mail address',
  codeSent: (email: string) =>
    `If ${email} can be used for this account, a code was sent there. It is valid for 15 minutes. Until you enter it, your address stays as it is.`,
  confirm: 'Change address',
  same: 'This is your address already.',
  changed: 'Your e-mail address is changed. You are signed out everywhere else.',
  tooMany: (minutes: string) => `Too many codes were requested. Use the last code that arrived, or try again in ${minutes} min.`,
}

/** Words of the change of the own e-mail address. */
export const emailWords: Record<Language, typeof en> = {
  en,
  ar: {
    change: 'تغيير البريد الإلكتروني',
    lead: 'أدخل العنوان الجديد. سيُرسل رمز إليه، ويتغير عنوانك بعد إدخال الرمز هنا.',
    label: 'البريد الإلكتروني الجديد',
    codeSent: (email) =>
      `إذا كان يمكن استخدام ${email} لهذا الحساب، فقد أُرسل رمز إليه. الرمز صالح لمدة 15 دقيقة. يبقى عنوانك كما هو حتى تدخل الرمز.`,
    confirm: 'تغيير العنوان',
    same: 'هذا هو عنوانك بالفعل.',
    changed: 'تم تغيير بريدك الإلكتروني. تم تسجيل خروجك من كل مكان آخر.',
    tooMany: (minutes) => `طُلب عدد كبير من الرموز. استخدم آخر رمز وصلك، أو حاول مجددًا بعد ${minutes} دقيقة.`,
  },
  de: {
    change: 'E-Mail-Adresse ändern',
    lead: 'Geben Sie die neue Adresse ein. Dorthin wird ein Code gesendet; sobald Sie ihn hier eingeben, ändert sich Ihre Adresse.',
    label: 'Neue E-Mail-Adresse',
    codeSent: (email) =>
      `Wenn ${email} für dieses Konto verwendet werden kann, wurde ein Code dorthin gesendet. Er gilt 15 Minuten. Bis Sie ihn eingeben, bleibt Ihre Adresse, wie sie ist.`,
    confirm: 'Adresse ändern',
    same: 'Das ist bereits Ihre Adresse.',
    changed: 'Ihre E-Mail-Adresse ist geändert. Überall sonst sind Sie abgemeldet.',
    tooMany: (minutes) =>
      `Es wurden zu viele Codes angefordert. Verwenden Sie den zuletzt erhaltenen, oder versuchen Sie es in ${minutes} Min. erneut.`,
  },
  es: {
    change: 'Cambiar el correo electrónico',
    lead: 'Escriba la nueva dirección. Se le enviará un código y, cuando lo escriba aquí, su dirección cambiará.',
    label: 'Nuevo correo electrónico',
    codeSent: (email) =>
      `Si ${email} se puede usar en esta cuenta, se ha enviado un código allí. Es válido durante 15 minutos. Hasta que lo escriba, su dirección no cambia.`,
    confirm: 'Cambiar la dirección',
    same: 'Esta ya es su dirección.',
    changed: 'Su correo electrónico ha cambiado. Se ha cerrado la sesión en todos los demás lugares.',
    tooMany: (minutes) => `Se han pedido demasiados códigos. Use el último que haya llegado o inténtelo de nuevo en ${minutes} min.`,
  },
  fr: {
    change: 'Modifier l’adresse e-mail',
    lead: 'Saisissez la nouvelle adresse. Un code y est envoyé ; dès que vous le saisissez ici, votre adresse change.',
    label: 'Nouvelle adresse e-mail',
    codeSent: (email) =>
      `Si ${email} peut être utilisée pour ce compte, un code y a été envoyé. Il est valable 15 minutes. Tant que vous ne l’avez pas saisi, votre adresse ne change pas.`,
    confirm: 'Modifier l’adresse',
    same: 'C’est déjà votre adresse.',
    changed: 'Votre adresse e-mail est modifiée. Vous êtes déconnecté partout ailleurs.',
    tooMany: (minutes) => `Trop de codes ont été demandés. Utilisez le dernier code reçu ou réessayez dans ${minutes} min.`,
  },
  he: {
    change: 'שינוי כתובת הדוא״ל',
    lead: 'יש להזין את הכתובת החדשה. קוד יישלח אליה, ולאחר הזנתו כאן הכתובת תשתנה.',
    label: 'כתובת דוא״ל חדשה',
    codeSent: (email) => `אם אפשר להשתמש ב-${email} בחשבון זה, נשלח אליה קוד. הוא תקף ל-15 דקות. עד שיוזן, הכתובת שלך נשארת כפי שהיא.`,
    confirm: 'שינוי הכתובת',
    same: 'זו כבר הכתובת שלך.',
    changed: 'כתובת הדוא״ל שלך שונתה. בוצעה יציאה בכל מקום אחר.',
    tooMany: (minutes) => `התבקשו יותר מדי קודים. יש להשתמש בקוד האחרון שהגיע או לנסות שוב בעוד ${minutes} דק׳.`,
  },
  it: {
    change: 'Cambia l’indirizzo e-mail',
    lead: 'Inserisci il nuovo indirizzo. Riceverà un codice e, quando lo inserisci qui, il tuo indirizzo cambia.',
    label: 'Nuovo indirizzo e-mail',
    codeSent: (email) =>
      `Se ${email} può essere usato per questo account, è stato inviato un codice. È valido per 15 minuti. Finché non lo inserisci, il tuo indirizzo resta com’è.`,
    confirm: 'Cambia indirizzo',
    same: 'Questo è già il tuo indirizzo.',
    changed: 'Il tuo indirizzo e-mail è cambiato. Sei uscito da tutti gli altri dispositivi.',
    tooMany: (minutes) => `Troppi codici richiesti. Usa l’ultimo codice arrivato o riprova tra ${minutes} min.`,
  },
  ja: {
    change: 'メールアドレスを変更',
    lead: '新しいアドレスを入力してください。そこにコードが届きます。ここでコードを入力すると、アドレスが変更されます。',
    label: '新しいメールアドレス',
    codeSent: (email) =>
      `${email} をこのアカウントで使用できる場合、コードを送信しました。有効期限は15分です。コードを入力するまで、アドレスは変わりません。`,
    confirm: 'アドレスを変更',
    same: 'これは現在のアドレスです。',
    changed: 'メールアドレスを変更しました。ほかの端末からはサインアウトされました。',
    tooMany: (minutes) => `コードの依頼が多すぎます。最後に届いたコードを使うか、${minutes}分後にもう一度お試しください。`,
  },
  ko: {
    change: '이메일 주소 변경',
    lead: '새 주소를 입력하세요. 그 주소로 코드가 전송되며, 여기에 입력하면 주소가 변경됩니다.',
    label: '새 이메일 주소',
    codeSent: (email) =>
      `${email} 주소를 이 계정에 사용할 수 있다면 코드가 전송되었습니다. 15분 동안 유효합니다. 입력할 때까지 주소는 그대로입니다.`,
    confirm: '주소 변경',
    same: '이미 사용 중인 주소입니다.',
    changed: '이메일 주소가 변경되었습니다. 다른 모든 곳에서 로그아웃되었습니다.',
    tooMany: (minutes) => `너무 많은 코드가 요청되었습니다. 마지막으로 받은 코드를 사용하거나 ${minutes}분 후에 다시 시도하세요.`,
  },
  nl: {
    change: 'E-mailadres wijzigen',
    lead: 'Vul het nieuwe adres in. Daar wordt een code naartoe gestuurd; zodra u die hier invult, verandert uw adres.',
    label: 'Nieuw e-mailadres',
    codeSent: (email) =>
      `Als ${email} voor dit account kan worden gebruikt, is daar een code naartoe gestuurd. Die is 15 minuten geldig. Tot u de code invult, blijft uw adres zoals het is.`,
    confirm: 'Adres wijzigen',
    same: 'Dit is al uw adres.',
    changed: 'Uw e-mailadres is gewijzigd. U bent overal elders uitgelogd.',
    tooMany: (minutes) =>
      `Er zijn te veel codes aangevraagd. Gebruik de laatste code die is aangekomen, of probeer het over ${minutes} min. opnieuw.`,
  },
  pt: {
    change: 'Alterar o endereço de e-mail',
    lead: 'Indique o novo endereço. É enviado um código para lá e, quando o introduzir aqui, o seu endereço muda.',
    label: 'Novo endereço de e-mail',
    codeSent: (email) =>
      `Se ${email} puder ser usado nesta conta, foi enviado um código para lá. É válido durante 15 minutos. Até o introduzir, o seu endereço fica como está.`,
    confirm: 'Alterar o endereço',
    same: 'Este já é o seu endereço.',
    changed: 'O seu endereço de e-mail foi alterado. A sessão foi terminada em todos os outros locais.',
    tooMany: (minutes) => `Foram pedidos demasiados códigos. Use o último que chegou ou tente novamente dentro de ${minutes} min.`,
  },
  zh: {
    change: '更改电子邮箱',
    lead: '请输入新邮箱。验证码会发送到该邮箱，在此输入后，您的邮箱即会更改。',
    label: '新电子邮箱',
    codeSent: (email) => `如果 ${email} 可用于此账户，验证码已发送到该邮箱，15 分钟内有效。在您输入之前，您的邮箱保持不变。`,
    confirm: '更改邮箱',
    same: '这已经是您的邮箱。',
    changed: '您的邮箱已更改。您在其他地方均已退出登录。',
    tooMany: (minutes) => `请求验证码的次数过多。请使用最后收到的验证码，或在 ${minutes} 分钟后重试。`,
  },
  'zh-Hant': {
    change: '變更電子郵件',
    lead: '請輸入新地址。驗證碼會寄到該地址，在此輸入後，您的地址即會變更。',
    label: '新電子郵件',
    codeSent: (email) => `如果 ${email} 可用於此帳戶，驗證碼已寄到該地址，15 分鐘內有效。在您輸入之前，您的地址維持不變。`,
    confirm: '變更地址',
    same: '這已經是您的地址。',
    changed: '您的電子郵件已變更。您在其他地方均已登出。',
    tooMany: (minutes) => `要求驗證碼的次數過多。請使用最後收到的驗證碼，或在 ${minutes} 分鐘後重試。`,
  },
}
