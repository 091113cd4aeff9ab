import type { Language } from '@quittance/pages/locale'

const en = {
  late: 'Your bank transfer has not arrived in time.',
  askedAgain: (date: string) => `You receive a new request for the transfer on ${date}.`,
  nextRequest: (sum: string, date: string) => `On ${date} you receive a request to send ${sum} by bank transfer.`,
}

/** Words about the renewals of a subscription whose customer sends the money. */
export const transferRenewalWords: Record<Language, typeof en> = {
  en,
  ar: {
    late: 'لم يصل تحويلك البنكي في الموعد.',
    askedAgain: (date) => `تتلقى طلبًا جديدًا للتحويل في ${date}.`,
    nextRequest: (sum, date) => `في ${date} تتلقى طلبًا لإرسال ${sum} بتحويل بنكي.`,
  },
  de: {
    late: 'Ihre Überweisung ist nicht rechtzeitig eingegangen.',
    askedAgain: (date) => `Am ${date} erhalten Sie eine neue Zahlungsaufforderung.`,
    nextRequest: (sum, date) => `Am ${date} erhalten Sie eine Aufforderung, ${sum} zu überweisen.`,
  },
  es: {
    late: 'Su transferencia bancaria no ha llegado a tiempo.',
    askedAgain: (date) => `El ${date} recibirá una nueva solicitud de transferencia.`,
    nextRequest: (sum, date) => `El ${date} recibirá una solicitud para enviar ${sum} por transferencia bancaria.`,
  },
  fr: {
    late: 'Votre virement bancaire n’est pas arrivé à temps.',
    askedAgain: (date) => `Vous recevrez une nouvelle demande de virement le ${date}.`,
    nextRequest: (sum, date) => `Le ${date}, vous recevrez une demande d’envoyer ${sum} par virement bancaire.`,
  },
  he: {
    late: 'ההעברה הבנקאית שלך לא הגיעה בזמן.',
    askedAgain: (date) => `בקשה חדשה להעברה תישלח אליך ב־${date}.`,
    nextRequest: (sum, date) => `ב־${date} תישלח אליך בקשה לשלוח ${sum} בהעברה בנקאית.`,
  },
  it: {
    late: 'Il tuo bonifico bancario non è arrivato in tempo.',
    askedAgain: (date) => `Riceverai una nuova richiesta di bonifico il ${date}.`,
    nextRequest: (sum, date) => `Il ${date} riceverai una richiesta di inviare ${sum} con bonifico bancario.`,
  },
  ja: {
    late: '銀行振込が期限までに届きませんでした。',
    askedAgain: (date) => `${date}に新しい振込のお願いをお送りします。`,
    nextRequest: (sum, date) => `${date}に${sum}の銀行振込のお願いをお送りします。`,
  },
  ko: {
    late: '계좌 이체가 기한 내에 도착하지 않았습니다.',
    askedAgain: (date) => `${date}에 새 송금 요청을 받으시게 됩니다.`,
    nextRequest: (sum, date) => `${date}에 ${sum} 송금 요청을 받으시게 됩니다.`,
  },
  nl: {
    late: 'Uw bankoverschrijving is niet op tijd ontvangen.',
    askedAgain: (date) => `Op ${date} ontvangt u een nieuw betaalverzoek.`,
    nextRequest: (sum, date) => `Op ${date} ontvangt u een verzoek om ${sum} per bankoverschrijving te betalen.`,
  },
  pt: {
    late: 'A sua transferência bancária não chegou a tempo.',
    askedAgain: (date) => `Receberá um novo pedido de transferência em ${date}.`,
    nextRequest: (sum, date) => `Em ${date} receberá um pedido para enviar ${sum} por transferência bancária.`,
  },
  zh: {
    late: '您的银行转账未按时到账。',
    askedAgain: (date) => `您将于 ${date} 收到新的转账请求。`,
    nextRequest: (sum, date) => `您将于 ${date} 收到通过银行转账支付 ${sum} 的请求。`,
  },
  'zh-Hant': {
    late: '您的銀行轉帳未按時入帳。',
    askedAgain: (date) => `您將於 ${date} 收到新的轉帳請求。`,
    nextRequest: (sum, date) => `您將於 ${date} 收到透過銀行轉帳支付 ${sum} 的請求。`,
  },
}
