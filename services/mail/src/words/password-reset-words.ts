import type { MailText } from './declaration-words.ts'

/** The mail with the link that sets a new password. */
export interface PasswordResetWords extends MailText {
  warning: string
  action: string
  footer: string
}

export const passwordResetWords: Readonly<Record<string, PasswordResetWords>> = {
  en: {
    subject: 'Set a new password',
    title: 'Set a new password',
    text: 'Open the link to set a new password for your account. It works once, for 45 minutes.',
    warning: 'If you did not ask for it, ignore this mail: your password stays as it is.',
    action: 'Set a new password',
    footer: 'You receive this mail because your address was entered on the sign-in page.',
  },
  ar: {
    subject: 'تعيين كلمة مرور جديدة',
    title: 'تعيين كلمة مرور جديدة',
    text: 'افتح الرابط لتعيين كلمة مرور جديدة لحسابك. يعمل مرة واحدة، لمدة 45 دقيقة.',
    warning: 'إذا لم تطلب ذلك فتجاهل هذه الرسالة: تبقى كلمة مرورك كما هي.',
    action: 'تعيين كلمة المرور',
    footer: 'تصلك هذه الرسالة لأن عنوانك أُدخل في صفحة تسجيل الدخول.',
  },
  de: {
    subject: 'Neues Passwort festlegen',
    title: 'Neues Passwort festlegen',
    text: 'Öffnen Sie den Link, um ein neues Passwort für Ihr Konto festzulegen. Er gilt einmal und 45 Minuten lang.',
    warning: 'Wenn Sie nicht danach gefragt haben, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
    action: 'Passwort festlegen',
    footer: 'Sie erhalten diese E-Mail, weil Ihre Adresse auf der Anmeldeseite eingegeben wurde.',
  },
  es: {
    subject: 'Establezca una contraseña nueva',
    title: 'Establezca una contraseña nueva',
    text: 'Abra el enlace para establecer una contraseña nueva de su cuenta. Funciona una vez, durante 45 minutos.',
    warning: 'Si no la ha pedido, ignore este correo: su contraseña sigue igual.',
    action: 'Establecer la contraseña',
    footer: 'Recibe este correo porque su dirección se introdujo en la página de inicio de sesión.',
  },
  fr: {
    subject: 'Choisissez un nouveau mot de passe',
    title: 'Choisissez un nouveau mot de passe',
    text: 'Ouvrez le lien pour choisir un nouveau mot de passe de votre compte. Il fonctionne une fois, pendant 45 minutes.',
    warning: 'Si vous n’avez rien demandé, ignorez ce message : votre mot de passe ne change pas.',
    action: 'Choisir le mot de passe',
    footer: 'Vous recevez ce message parce que votre adresse a été saisie sur la page de connexion.',
  },
  he: {
    subject: 'קביעת סיסמה חדשה',
    title: 'קביעת סיסמה חדשה',
    text: 'יש לפתוח את הקישור כדי לקבוע סיסמה חדשה לחשבון. הוא פועל פעם אחת, במשך 45 דקות.',
    warning: 'אם לא ביקשת זאת, אפשר להתעלם מההודעה: הסיסמה נשארת כפי שהיא.',
    action: 'קביעת סיסמה',
    footer: 'ההודעה נשלחה כי הכתובת שלך הוזנה בדף הכניסה.',
  },
  it: {
    subject: 'Imposta una nuova password',
    title: 'Imposta una nuova password',
    text: 'Apri il link per impostare una nuova password del tuo account. Funziona una volta, per 45 minuti.',
    warning: 'Se non l’hai chiesta, ignora questa e-mail: la password resta com’è.',
    action: 'Imposta la password',
    footer: 'Ricevi questa e-mail perché il tuo indirizzo è stato inserito nella pagina di accesso.',
  },
  ja: {
    subject: '新しいパスワードの設定',
    title: '新しいパスワードの設定',
    text: 'リンクを開いて、アカウントの新しいパスワードを設定してください。リンクは 45 分間、1 回だけ使えます。',
    warning: 'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
    action: 'パスワードを設定',
    footer: 'ログインページでこのアドレスが入力されたため、このメールをお送りしています。',
  },
  ko: {
    subject: '새 비밀번호 설정',
    title: '새 비밀번호 설정',
    text: '링크를 열어 계정의 새 비밀번호를 설정하세요. 링크는 45분 동안 한 번만 사용할 수 있습니다.',
    warning: '요청하지 않았다면 이 메일을 무시하세요. 비밀번호는 그대로입니다.',
    action: '비밀번호 설정',
    footer: '로그인 페이지에 이 주소가 입력되어 이 메일을 보내 드립니다.',
  },
  nl: {
    subject: 'Stel een nieuw wachtwoord in',
    title: 'Stel een nieuw wachtwoord in',
    text: 'Open de link om een nieuw wachtwoord voor uw account in te stellen. Hij werkt één keer, 45 minuten lang.',
    warning: 'Hebt u hier niet om gevraagd, negeer deze e-mail dan: uw wachtwoord blijft zoals het is.',
    action: 'Wachtwoord instellen',
    footer: 'U ontvangt deze e-mail omdat uw adres op de inlogpagina is ingevuld.',
  },
  pt: {
    subject: 'Defina uma nova palavra-passe',
    title: 'Defina uma nova palavra-passe',
    text: 'Abra a ligação para definir uma nova palavra-passe da sua conta. Funciona uma vez, durante 45 minutos.',
    warning: 'Se não a pediu, ignore este e-mail: a palavra-passe fica como está.',
    action: 'Definir a palavra-passe',
    footer: 'Recebe este e-mail porque o seu endereço foi introduzido na página de início de sessão.',
  },
  zh: {
    subject: '设置新密码',
    title: '设置新密码',
    text: '打开链接为您的账户设置新密码。链接仅可使用一次，45 分钟内有效。',
    warning: '如果不是您提出的请求，请忽略此邮件：密码保持不变。',
    action: '设置密码',
    footer: '您收到此邮件，是因为有人在登录页面输入了您的地址。',
  },
  'zh-Hant': {
    subject: '設定新密碼',
    title: '設定新密碼',
    text: '開啟連結為您的帳戶設定新密碼。連結僅可使用一次，45 分鐘內有效。',
    warning: '如果不是您提出的要求，請忽略此郵件：密碼維持不變。',
    action: '設定密碼',
    footer: '您收到此郵件，是因為有人在登入頁面輸入了您的地址。',
  },
}
