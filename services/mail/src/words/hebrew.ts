import type { BaseMailWords } from './mail-words.ts'

export const hebrew: BaseMailWords = {
  direction: 'rtl',
  receipt: {
    subject: 'הקבלה שלך מאת {seller}',
    title: 'תודה על ההזמנה',
    text: 'התשלום שלך בסך {amount} התקבל אצל {seller}.',
    freeTitle: 'תודה על ההזמנה',
    freeText: 'ההזמנה שלך נרשמה אצל {seller}. אין סכום לתשלום.',
    startedTitle: 'המינוי שלך התחיל',
    renewedTitle: 'המינוי שלך חודש',
    changedTitle: 'שינוי התוכנית שלך שולם',
  },
  refund: {
    subject: 'החזר כספי מאת {seller}',
    title: 'ההחזר הכספי שלך',
    text: '{amount} הוחזרו לך מאת {seller}. ייתכן שיעברו כמה ימים עד שהכסף יופיע בחשבונך.',
  },
  paymentFailed: {
    subject: 'התשלום עבור {product} נכשל',
    title: 'התשלום שלך נכשל',
    text: 'התשלום עבור {product} נדחה. לא נגבה כסף. הגישה שלך מושהית עד שהתשלום יצליח.',
  },
  cancelled: {
    subject: 'המינוי שלך ל-{product} בוטל',
    title: 'המינוי שלך בוטל',
    text: 'הגישה שלך ל-{product} נשמרת עד {date}. המינוי לא יתחדש עוד.',
    pausedText: 'הגישה שלך ל-{product} מושהית כי תשלום נכשל. לאחר שיצליח תהיה לך גישה עד {date}. אז המינוי מסתיים.',
  },
  uncancelled: {
    subject: 'המינוי שלך ל-{product} נמשך',
    title: 'המינוי שלך נמשך',
    text: 'הביטול של {product} בוטל. התשלום הבא הוא בתאריך {date}.',
  },
  ended: {
    subject: 'המינוי שלך ל-{product} הסתיים',
    title: 'המינוי שלך הסתיים',
    text: 'הגישה שלך ל-{product} הסתיימה. המינוי לא יתחדש עוד.',
  },
  planChanged: {
    subject: 'התוכנית שלך אצל {seller} השתנתה',
    title: 'התוכנית שלך השתנתה',
    text: '{product} מחליף את {old}.',
  },
  invoice: {
    subject: 'חשבונית {number} מאת {seller}',
    title: 'החשבונית שלך',
    text: 'החשבונית מאת {seller} מוכנה. הקישור תקף עד {date}.',
  },
  creditNote: {
    subject: 'הודעת זיכוי {number} מאת {seller}',
    title: 'הודעת הזיכוי שלך',
    text: 'הודעת הזיכוי מאת {seller} מוכנה. הקישור תקף עד {date}.',
  },
  code: {
    subject: 'קוד הכניסה שלך אל {seller}',
    title: 'קוד הכניסה שלך',
    text: 'יש להזין קוד זה בדף הכניסה של {seller}. הוא פועל פעם אחת ותקף ל-15 דקות.',
    warning: 'אם לא ביקשת אותו, אפשר להתעלם מהודעה זו. אין למסור את הקוד לאיש: {seller} לא תבקש אותו.',
  },
  invitation: {
    subject: 'הזמנה אל {seller}',
    title: 'קיבלת הזמנה',
    text: 'קיבלת הזמנה להצטרף אל {seller}. ההזמנה תקפה עד {date}.',
    warning: 'אם לא ציפית לה, אפשר להתעלם מהודעה זו.',
  },
  facts: {
    date: 'תאריך',
    subtotal: 'סכום ביניים',
    discount: 'הנחה',
    tax: 'מס',
    total: 'סך הכול',
    refunded: 'הוחזר',
    price: 'מחיר',
    nextPayment: 'התשלום הבא',
    accessUntil: 'גישה עד',
    number: 'מספר',
    amount: 'סכום',
  },
  per: { month: '{amount} לחודש', year: '{amount} לשנה' },
  actions: {
    portal: 'הרכישות שלך',
    pay: 'תשלום עכשיו',
    invoice: 'פתיחת החשבונית',
    creditNote: 'פתיחת הודעת הזיכוי',
    invitation: 'פתיחת ההזמנה',
  },
  footers: {
    customer: 'קיבלת הודעה זו בשל הרכישה שלך אצל {seller}.',
    code: 'קיבלת הודעה זו כי הכתובת שלך הוזנה בדף הכניסה של {seller}.',
    invitation: 'קיבלת הודעה זו כי חבר של {seller} הזין את כתובתך.',
  },
}
