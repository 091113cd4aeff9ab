/** The three texts of a mail. */
export interface MailText {
  subject: string
  title: string
  text: string
}

/** Receipts of declarations of consumers. */
export interface DeclarationMailWords {
  withdrawal: MailText
  cancellation: MailText
  name: string
  contract: string
  receivedAt: string
  footer: string
}

export const declarationWords: Readonly<Record<string, DeclarationMailWords>> = {
  en: {
    withdrawal: {
      subject: 'Receipt of your withdrawal: {seller}',
      title: 'Your withdrawal was received',
      text: '{seller} has received your withdrawal from the contract below. Keep this mail as proof.',
    },
    cancellation: {
      subject: 'Receipt of your cancellation: {seller}',
      title: 'Your cancellation was received',
      text: '{seller} has received your cancellation of the contract below. Keep this mail as proof.',
    },
    name: 'Your name',
    contract: 'Contract',
    receivedAt: 'Received on',
    footer: 'You receive this mail because your address was entered for the receipt of a statement to {seller}.',
  },
  ar: {
    withdrawal: {
      subject: 'إيصال انسحابك: {seller}',
      title: 'تم استلام انسحابك',
      text: 'استلم {seller} انسحابك من العقد المذكور أدناه. احتفظ بهذه الرسالة كإثبات.',
    },
    cancellation: {
      subject: 'إيصال إلغائك: {seller}',
      title: 'تم استلام إلغائك',
      text: 'استلم {seller} إلغاءك للعقد المذكور أدناه. احتفظ بهذه الرسالة كإثبات.',
    },
    name: 'اسمك',
    contract: 'العقد',
    receivedAt: 'تاريخ الاستلام',
    footer: 'تصلك هذه الرسالة لأن عنوانك أُدخل لإيصال بيان موجه إلى {seller}.',
  },
  de: {
    withdrawal: {
      subject: 'Eingang Ihres Widerrufs: {seller}',
      title: 'Ihr Widerruf ist eingegangen',
      text: '{seller} hat Ihren Widerruf des unten genannten Vertrags erhalten. Bewahren Sie diese E-Mail als Nachweis auf.',
    },
    cancellation: {
      subject: 'Eingang Ihrer Kündigung: {seller}',
      title: 'Ihre Kündigung ist eingegangen',
      text: '{seller} hat Ihre Kündigung des unten genannten Vertrags erhalten. Bewahren Sie diese E-Mail als Nachweis auf.',
    },
    name: 'Ihr Name',
    contract: 'Vertrag',
    receivedAt: 'Eingegangen am',
    footer: 'Sie erhalten diese E-Mail, weil Ihre Adresse für die Bestätigung einer Erklärung an {seller} angegeben wurde.',
  },
  es: {
    withdrawal: {
      subject: 'Acuse de recibo de su desistimiento: {seller}',
      title: 'Se ha recibido su desistimiento',
      text: '{seller} ha recibido su desistimiento del contrato indicado abajo. Conserve este correo como prueba.',
    },
    cancellation: {
      subject: 'Acuse de recibo de su cancelación: {seller}',
      title: 'Se ha recibido su cancelación',
      text: '{seller} ha recibido su cancelación del contrato indicado abajo. Conserve este correo como prueba.',
    },
    name: 'Su nombre',
    contract: 'Contrato',
    receivedAt: 'Recibido el',
    footer: 'Recibe este correo porque su dirección se indicó para el acuse de recibo de una declaración a {seller}.',
  },
  fr: {
    withdrawal: {
      subject: 'Accusé de réception de votre rétractation : {seller}',
      title: 'Votre rétractation a été reçue',
      text: '{seller} a reçu votre rétractation du contrat ci-dessous. Conservez cet e-mail comme preuve.',
    },
    cancellation: {
      subject: 'Accusé de réception de votre résiliation : {seller}',
      title: 'Votre résiliation a été reçue',
      text: '{seller} a reçu la résiliation du contrat ci-dessous. Conservez cet e-mail comme preuve.',
    },
    name: 'Votre nom',
    contract: 'Contrat',
    receivedAt: 'Reçu le',
    footer: 'Vous recevez cet e-mail car votre adresse a été indiquée pour l’accusé de réception d’une déclaration à {seller}.',
  },
  he: {
    withdrawal: {
      subject: 'אישור קבלת הנסיגה: {seller}',
      title: 'הודעת הנסיגה התקבלה',
      text: '{seller} קיבל את הודעת הנסיגה מהחוזה שלהלן. יש לשמור הודעה זו כהוכחה.',
    },
    cancellation: {
      subject: 'אישור קבלת הביטול: {seller}',
      title: 'הודעת הביטול התקבלה',
      text: '{seller} קיבל את הודעת הביטול של החוזה שלהלן. יש לשמור הודעה זו כהוכחה.',
    },
    name: 'שמך',
    contract: 'חוזה',
    receivedAt: 'התקבל ב',
    footer: 'הודעה זו נשלחה כי כתובתך צוינה לאישור קבלה של הצהרה אל {seller}.',
  },
  it: {
    withdrawal: {
      subject: 'Ricevuta del tuo recesso: {seller}',
      title: 'Il tuo recesso è stato ricevuto',
      text: '{seller} ha ricevuto il tuo recesso dal contratto qui sotto. Conserva questa e-mail come prova.',
    },
    cancellation: {
      subject: 'Ricevuta della tua disdetta: {seller}',
      title: 'La tua disdetta è stata ricevuta',
      text: '{seller} ha ricevuto la disdetta del contratto qui sotto. Conserva questa e-mail come prova.',
    },
    name: 'Il tuo nome',
    contract: 'Contratto',
    receivedAt: 'Ricevuta il',
    footer: 'Ricevi questa e-mail perché il tuo indirizzo è stato indicato per la ricevuta di una dichiarazione a {seller}.',
  },
  ja: {
    withdrawal: {
      subject: '撤回の受領確認: {seller}',
      title: '撤回を受け付けました',
      text: '{seller} は下記の契約の撤回を受け付けました。証明としてこのメールを保管してください。',
    },
    cancellation: {
      subject: '解約の受領確認: {seller}',
      title: '解約を受け付けました',
      text: '{seller} は下記の契約の解約を受け付けました。証明としてこのメールを保管してください。',
    },
    name: 'お名前',
    contract: '契約',
    receivedAt: '受付日時',
    footer: '{seller} への届け出の受領確認先としてこのアドレスが入力されたため、このメールをお送りしています。',
  },
  ko: {
    withdrawal: {
      subject: '철회 접수 확인: {seller}',
      title: '철회가 접수되었습니다',
      text: '{seller}에서 아래 계약의 철회를 접수했습니다. 증빙으로 이 메일을 보관하세요.',
    },
    cancellation: {
      subject: '해지 접수 확인: {seller}',
      title: '해지가 접수되었습니다',
      text: '{seller}에서 아래 계약의 해지를 접수했습니다. 증빙으로 이 메일을 보관하세요.',
    },
    name: '이름',
    contract: '계약',
    receivedAt: '접수 일시',
    footer: '{seller}에 대한 의사 표시의 접수 확인용으로 이 주소가 입력되어 이 메일을 보냅니다.',
  },
  nl: {
    withdrawal: {
      subject: 'Ontvangst van uw herroeping: {seller}',
      title: 'Uw herroeping is ontvangen',
      text: '{seller} heeft uw herroeping van de onderstaande overeenkomst ontvangen. Bewaar deze e-mail als bewijs.',
    },
    cancellation: {
      subject: 'Ontvangst van uw opzegging: {seller}',
      title: 'Uw opzegging is ontvangen',
      text: '{seller} heeft uw opzegging van de onderstaande overeenkomst ontvangen. Bewaar deze e-mail als bewijs.',
    },
    name: 'Uw naam',
    contract: 'Overeenkomst',
    receivedAt: 'Ontvangen op',
    footer: 'U ontvangt deze e-mail omdat uw adres is opgegeven voor de ontvangstbevestiging van een verklaring aan {seller}.',
  },
  pt: {
    withdrawal: {
      subject: 'Comprovativo da sua retratação: {seller}',
      title: 'A sua retratação foi recebida',
      text: '{seller} recebeu a sua retratação do contrato abaixo. Guarde este e-mail como prova.',
    },
    cancellation: {
      subject: 'Comprovativo do seu cancelamento: {seller}',
      title: 'O seu cancelamento foi recebido',
      text: '{seller} recebeu o cancelamento do contrato abaixo. Guarde este e-mail como prova.',
    },
    name: 'O seu nome',
    contract: 'Contrato',
    receivedAt: 'Recebido em',
    footer: 'Recebe este e-mail porque o seu endereço foi indicado para o comprovativo de uma declaração a {seller}.',
  },
  zh: {
    withdrawal: {
      subject: '撤回回执：{seller}',
      title: '已收到您的撤回声明',
      text: '{seller} 已收到您对以下合同的撤回声明。请保留此邮件作为凭证。',
    },
    cancellation: {
      subject: '取消回执：{seller}',
      title: '已收到您的取消声明',
      text: '{seller} 已收到您对以下合同的取消声明。请保留此邮件作为凭证。',
    },
    name: '您的姓名',
    contract: '合同',
    receivedAt: '收到时间',
    footer: '您收到此邮件，是因为向 {seller} 提交声明时填写了您的邮箱来接收回执。',
  },
  'zh-Hant': {
    withdrawal: {
      subject: '撤回回執：{seller}',
      title: '已收到您的撤回聲明',
      text: '{seller} 已收到您對以下合約的撤回聲明。請保留此郵件作為憑證。',
    },
    cancellation: {
      subject: '取消回執：{seller}',
      title: '已收到您的取消聲明',
      text: '{seller} 已收到您對以下合約的取消聲明。請保留此郵件作為憑證。',
    },
    name: '您的姓名',
    contract: '合約',
    receivedAt: '收到時間',
    footer: '您收到此郵件，是因為向 {seller} 提出聲明時填寫了您的地址來接收回執。',
  },
}
