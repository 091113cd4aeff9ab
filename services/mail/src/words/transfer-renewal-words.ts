import type { MailText } from './declaration-words.ts'

/** About the renewals of a subscription whose buyer sends the money. */
export interface TransferRenewalWords {
  /** The text of a reminder. */
  ahead: string
  /** The money of a renewal did not arrive in time. */
  late: MailText
  /** When the buyer is asked for it again. */
  askedAgain: string
}

export const transferRenewalWords: Readonly<Record<string, TransferRenewalWords>> = {
  en: {
    ahead: '{product} renews on {date}. You then receive a request to send {amount} by bank transfer. You can cancel until then.',
    late: {
      subject: 'Your transfer for {product} has not arrived',
      title: 'Your transfer has not arrived',
      text: 'Your bank transfer for {product} has not arrived in time. Your access is paused until it arrives.',
    },
    askedAgain: 'You receive a new request for the transfer on {date}.',
  },
  ar: {
    ahead: 'يتجدد {product} في {date}، وتتلقى عندها طلبًا لإرسال {amount} بتحويل بنكي. يمكنك الإلغاء حتى ذلك الحين.',
    late: {
      subject: 'لم يصل تحويلك مقابل {product}',
      title: 'لم يصل تحويلك',
      text: 'لم يصل تحويلك البنكي مقابل {product} في الموعد. وصولك متوقف حتى يصل.',
    },
    askedAgain: 'تتلقى طلبًا جديدًا للتحويل في {date}.',
  },
  de: {
    ahead:
      '{product} verlängert sich am {date}. Sie erhalten dann eine Aufforderung, {amount} zu überweisen. Bis dahin können Sie kündigen.',
    late: {
      subject: 'Ihre Überweisung für {product} ist nicht eingegangen',
      title: 'Ihre Überweisung ist nicht eingegangen',
      text: 'Ihre Überweisung für {product} ist nicht rechtzeitig eingegangen. Bis sie eingeht, ist Ihr Zugang unterbrochen.',
    },
    askedAgain: 'Am {date} erhalten Sie eine neue Zahlungsaufforderung.',
  },
  es: {
    ahead:
      '{product} se renueva el {date}. Entonces recibirá una solicitud para enviar {amount} por transferencia bancaria. Puede cancelar hasta entonces.',
    late: {
      subject: 'Su transferencia por {product} no ha llegado',
      title: 'Su transferencia no ha llegado',
      text: 'Su transferencia bancaria por {product} no ha llegado a tiempo. Su acceso está en pausa hasta que llegue.',
    },
    askedAgain: 'El {date} recibirá una nueva solicitud de transferencia.',
  },
  fr: {
    ahead:
      '{product} sera renouvelé le {date}. Vous recevrez alors une demande d’envoyer {amount} par virement bancaire. Vous pouvez résilier jusque-là.',
    late: {
      subject: 'Votre virement pour {product} n’est pas arrivé',
      title: 'Votre virement n’est pas arrivé',
      text: 'Votre virement bancaire pour {product} n’est pas arrivé à temps. Votre accès est suspendu jusqu’à son arrivée.',
    },
    askedAgain: 'Vous recevrez une nouvelle demande de virement le {date}.',
  },
  he: {
    ahead: '{product} יתחדש ב-{date}. אז תתקבל אצלך בקשה לשלוח {amount} בהעברה בנקאית. אפשר לבטל עד אז.',
    late: {
      subject: 'ההעברה שלך עבור {product} לא הגיעה',
      title: 'ההעברה שלך לא הגיעה',
      text: 'ההעברה הבנקאית שלך עבור {product} לא הגיעה בזמן. הגישה שלך מושהית עד שתגיע.',
    },
    askedAgain: 'בקשה חדשה להעברה תישלח אליך ב-{date}.',
  },
  it: {
    ahead:
      '{product} si rinnova il {date}. Riceverai allora una richiesta di inviare {amount} con bonifico bancario. Puoi disdire fino ad allora.',
    late: {
      subject: 'Il tuo bonifico per {product} non è arrivato',
      title: 'Il tuo bonifico non è arrivato',
      text: 'Il tuo bonifico bancario per {product} non è arrivato in tempo. Il tuo accesso è sospeso finché non arriva.',
    },
    askedAgain: 'Riceverai una nuova richiesta di bonifico il {date}.',
  },
  ja: {
    ahead: '{product} は {date} に更新されます。その際、{amount} の銀行振込のお願いをお送りします。それまでは解約できます。',
    late: {
      subject: '{product} の振込が確認できていません',
      title: '振込が確認できていません',
      text: '{product} の銀行振込が期限までに届きませんでした。届くまでご利用は停止されています。',
    },
    askedAgain: '{date} に新しい振込のお願いをお送りします。',
  },
  ko: {
    ahead: '{product} 구독이 {date}에 갱신됩니다. 그때 {amount} 송금 요청을 받으시게 됩니다. 그때까지 해지할 수 있습니다.',
    late: {
      subject: '{product} 송금이 도착하지 않았습니다',
      title: '송금이 도착하지 않았습니다',
      text: '{product}에 대한 계좌 이체가 기한 내에 도착하지 않았습니다. 도착할 때까지 이용이 중지됩니다.',
    },
    askedAgain: '{date}에 새 송금 요청을 받으시게 됩니다.',
  },
  nl: {
    ahead:
      '{product} wordt verlengd op {date}. U ontvangt dan een verzoek om {amount} per bankoverschrijving te betalen. Tot dan kunt u opzeggen.',
    late: {
      subject: 'Uw overschrijving voor {product} is niet ontvangen',
      title: 'Uw overschrijving is niet ontvangen',
      text: 'Uw bankoverschrijving voor {product} is niet op tijd ontvangen. Uw toegang is onderbroken totdat die binnen is.',
    },
    askedAgain: 'Op {date} ontvangt u een nieuw betaalverzoek.',
  },
  pt: {
    ahead: '{product} renova-se em {date}. Receberá então um pedido para enviar {amount} por transferência bancária. Pode cancelar até lá.',
    late: {
      subject: 'A sua transferência para {product} não chegou',
      title: 'A sua transferência não chegou',
      text: 'A sua transferência bancária para {product} não chegou a tempo. O seu acesso está suspenso até que chegue.',
    },
    askedAgain: 'Receberá um novo pedido de transferência em {date}.',
  },
  zh: {
    ahead: '{product} 将于 {date} 续订。届时您会收到通过银行转账支付 {amount} 的请求。在此之前您可以取消。',
    late: {
      subject: '尚未收到您为 {product} 的转账',
      title: '尚未收到您的转账',
      text: '您为 {product} 的银行转账未按时到账。到账之前，您的访问已暂停。',
    },
    askedAgain: '您将于 {date} 收到新的转账请求。',
  },
  'zh-Hant': {
    ahead: '{product} 將於 {date} 續訂。屆時您會收到透過銀行轉帳支付 {amount} 的請求。在此之前您可以取消。',
    late: {
      subject: '尚未收到您為 {product} 的轉帳',
      title: '尚未收到您的轉帳',
      text: '您為 {product} 的銀行轉帳未按時入帳。入帳之前，您的存取權已暫停。',
    },
    askedAgain: '您將於 {date} 收到新的轉帳請求。',
  },
}
