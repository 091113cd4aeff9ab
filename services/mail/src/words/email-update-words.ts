import type { MailText } from './declaration-words.ts'

/** The mail with the code that proves the new address of a customer. */
export interface EmailUpdateWords extends MailText {
  warning: string
  footer: string
}

export const emailUpdateWords: Readonly<Record<string, EmailUpdateWords>> = {
  en: {
    subject: 'Confirm your new e-mail address for {seller}',
    title: 'Confirm your new e-mail address',
    text: 'A customer who is signed in with {seller} asked to use this address for the account. The address of the account changes once this code is entered there. The code works once and is valid for 15 minutes.',
    warning: 'If you did not ask for it, you need not do anything. Never pass the code on: {seller} will not ask for it.',
    footer: 'You receive this mail because your address was entered in a customer account with {seller}.',
  },
  ar: {
    subject: 'تأكيد عنوان بريدك الإلكتروني الجديد لدى {seller}',
    title: 'تأكيد عنوان بريدك الإلكتروني الجديد',
    text: 'طلب عميل سجّل الدخول لدى {seller} استخدام هذا العنوان لحسابه. يتغير العنوان بعد إدخال هذا الرمز هناك. يعمل الرمز مرة واحدة وهو صالح لمدة 15 دقيقة.',
    warning: 'إذا لم تطلب ذلك فلا حاجة إلى أي إجراء. لا تعطِ الرمز لأحد: لن يطلبه منك {seller}.',
    footer: 'تصلك هذه الرسالة لأن عنوانك أُدخل في حساب عميل لدى {seller}.',
  },
  de: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse bei {seller}',
    title: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    text: 'Ein angemeldeter Kunde von {seller} möchte diese Adresse für sein Konto verwenden. Die Adresse des Kontos ändert sich, sobald dieser Code dort eingegeben wird. Er gilt einmal und 15 Minuten lang.',
    warning: 'Wenn Sie das nicht angefordert haben, müssen Sie nichts tun. Geben Sie den Code nie weiter: {seller} fragt nicht danach.',
    footer: 'Sie erhalten diese E-Mail, weil Ihre Adresse in einem Kundenkonto bei {seller} eingegeben wurde.',
  },
  es: {
    subject: 'Confirme su nueva dirección de correo en {seller}',
    title: 'Confirme su nueva dirección de correo',
    text: 'Un cliente que ha accedido a su cuenta en {seller} ha pedido usar esta dirección. La dirección de la cuenta cambia en cuanto se introduzca allí este código. Funciona una sola vez y es válido durante 15 minutos.',
    warning: 'Si no lo ha pedido, no tiene que hacer nada. No comparta nunca el código: {seller} no se lo pedirá.',
    footer: 'Recibe este correo porque su dirección se introdujo en una cuenta de cliente de {seller}.',
  },
  fr: {
    subject: 'Confirmez votre nouvelle adresse e-mail chez {seller}',
    title: 'Confirmez votre nouvelle adresse e-mail',
    text: 'Un client connecté à son compte chez {seller} a demandé à utiliser cette adresse. L’adresse du compte change dès que ce code y est saisi. Il fonctionne une seule fois et reste valable 15 minutes.',
    warning: 'Si vous n’avez rien demandé, vous n’avez rien à faire. Ne transmettez jamais le code : {seller} ne vous le demandera pas.',
    footer: 'Vous recevez cet e-mail parce que votre adresse a été saisie dans un compte client chez {seller}.',
  },
  he: {
    subject: 'אישור כתובת הדוא״ל החדשה שלך אצל {seller}',
    title: 'אישור כתובת הדוא״ל החדשה שלך',
    text: 'לקוח שנכנס לחשבונו אצל {seller} ביקש להשתמש בכתובת זו. הכתובת תשתנה כשקוד זה יוזן שם. הוא פועל פעם אחת ותקף ל-15 דקות.',
    warning: 'אם לא ביקשת זאת, אין צורך לעשות דבר. אין למסור את הקוד לאיש: {seller} לא תבקש אותו.',
    footer: 'קיבלת הודעה זו כי הכתובת שלך הוזנה בחשבון לקוח אצל {seller}.',
  },
  it: {
    subject: 'Confermi il suo nuovo indirizzo e-mail per {seller}',
    title: 'Confermi il suo nuovo indirizzo e-mail',
    text: 'Un cliente che ha eseguito l’accesso presso {seller} ha chiesto di usare questo indirizzo per il suo account. L’indirizzo cambia quando questo codice viene inserito lì. Funziona una sola volta ed è valido per 15 minuti.',
    warning: 'Se non lo ha chiesto, non deve fare nulla. Non comunichi mai il codice: {seller} non glielo chiederà.',
    footer: 'Riceve questa e-mail perché il suo indirizzo è stato inserito in un account cliente presso {seller}.',
  },
  ja: {
    subject: '{seller} の新しいメールアドレスの確認',
    title: '新しいメールアドレスの確認',
    text: '{seller} にログイン中のお客様が、このアドレスをアカウントに使うことを希望しています。そのページでこのコードを入力すると、アドレスが変更されます。コードは 1 回のみ使用でき、15 分間有効です。',
    warning:
      'お心当たりがない場合は、何もする必要はありません。コードを他人に教えないでください。{seller} がコードをお尋ねすることはありません。',
    footer: 'このメールは {seller} のお客様アカウントにお客様のアドレスが入力されたためお送りしています。',
  },
  ko: {
    subject: '{seller}의 새 이메일 주소 확인',
    title: '새 이메일 주소 확인',
    text: '{seller}에 로그인한 고객이 이 주소를 계정에 사용하겠다고 요청했습니다. 그곳에 이 코드를 입력하면 주소가 변경됩니다. 한 번만 사용할 수 있으며 15분 동안 유효합니다.',
    warning: '요청하지 않았다면 아무것도 하지 않으셔도 됩니다. 코드를 다른 사람에게 알려주지 마세요. {seller}은(는) 코드를 묻지 않습니다.',
    footer: '{seller} 고객 계정에 귀하의 주소가 입력되어 이 메일을 받으셨습니다.',
  },
  nl: {
    subject: 'Bevestig uw nieuwe e-mailadres bij {seller}',
    title: 'Bevestig uw nieuwe e-mailadres',
    text: 'Een ingelogde klant van {seller} wil dit adres voor het account gebruiken. Het adres van het account verandert zodra deze code daar is ingevoerd. De code werkt één keer en is 15 minuten geldig.',
    warning: 'Hebt u hier niet om gevraagd, dan hoeft u niets te doen. Geef de code nooit door: {seller} vraagt er niet om.',
    footer: 'U ontvangt deze e-mail omdat uw adres in een klantaccount bij {seller} is ingevoerd.',
  },
  pt: {
    subject: 'Confirme o seu novo endereço de e-mail em {seller}',
    title: 'Confirme o seu novo endereço de e-mail',
    text: 'Um cliente com sessão iniciada em {seller} pediu para usar este endereço na conta. O endereço muda assim que este código for introduzido aí. Funciona uma vez e é válido durante 15 minutos.',
    warning: 'Se não o pediu, não precisa de fazer nada. Nunca partilhe o código: {seller} não o vai pedir.',
    footer: 'Recebe este e-mail porque o seu endereço foi introduzido numa conta de cliente de {seller}.',
  },
  zh: {
    subject: '确认您在 {seller} 的新邮箱地址',
    title: '确认您的新邮箱地址',
    text: '{seller} 的一位已登录客户请求将此地址用于其账户。在该处输入此验证码后，地址即会更改。验证码只能使用一次，15 分钟内有效。',
    warning: '如果不是您本人请求，您无需进行任何操作。切勿将验证码告诉他人：{seller} 不会向您索取。',
    footer: '您收到此邮件是因为有人在 {seller} 的客户账户中输入了您的地址。',
  },
  'zh-Hant': {
    subject: '確認您在 {seller} 的新電子郵件地址',
    title: '確認您的新電子郵件地址',
    text: '{seller} 的一位已登入顧客要求將此地址用於其帳戶。在該處輸入此驗證碼後，地址即會變更。驗證碼只能使用一次，15 分鐘內有效。',
    warning: '如果不是您本人要求，您無須進行任何操作。切勿將驗證碼告訴他人：{seller} 不會向您索取。',
    footer: '您收到此郵件是因為有人在 {seller} 的顧客帳戶中輸入了您的地址。',
  },
}
