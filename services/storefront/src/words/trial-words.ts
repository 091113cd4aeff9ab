import type { Language } from '@quittance/pages/locale'

const en = {
  start: 'Start the free trial',
  freeUntil: (date: string) => `Free until ${date}`,
  ends: (date: string) =>
    `The trial is free and ends on ${date}. Nothing is charged unless you choose a payment method in your account before then.`,
  thenMonthly: (first: string, date: string, later: string) =>
    `If you choose one, you pay ${first} on ${date} and ${later} every month after that, until you cancel. You can cancel at any time.`,
  thenYearly: (first: string, date: string, later: string) =>
    `If you choose one, you pay ${first} on ${date} and ${later} every year after that, until you cancel. You can cancel at any time.`,
  chargedMonthly: (first: string, date: string, later: string) =>
    `The trial is free and ends on ${date}. Then you pay ${first}, and ${later} every month after that, until you cancel. If you cancel before, nothing is charged.`,
  chargedYearly: (first: string, date: string, later: string) =>
    `The trial is free and ends on ${date}. Then you pay ${first}, and ${later} every year after that, until you cancel. If you cancel before, nothing is charged.`,
  used: 'You have had a trial of this product already. Nothing was ordered and nothing was charged. You can order it without a trial.',
}

/** Words of trials. Sums and dates are inserted as they are shown. */
export const trialWords: Record<Language, typeof en> = {
  en,
  ar: {
    start: 'بدء التجربة المجانية',
    freeUntil: (date) => `مجانًا حتى ${date}`,
    ends: (date) => `التجربة مجانية وتنتهي في ${date}. لن يُخصم أي مبلغ ما لم تختر طريقة دفع في حسابك قبل ذلك.`,
    thenMonthly: (first, date, later) =>
      `إذا اخترت طريقة دفع، تدفع ${first} في ${date} ثم ${later} كل شهر بعد ذلك حتى تلغي الاشتراك. يمكنك الإلغاء في أي وقت.`,
    thenYearly: (first, date, later) =>
      `إذا اخترت طريقة دفع، تدفع ${first} في ${date} ثم ${later} كل سنة بعد ذلك حتى تلغي الاشتراك. يمكنك الإلغاء في أي وقت.`,
    chargedMonthly: (first, date, later) =>
      `التجربة مجانية وتنتهي في ${date}. بعدها تدفع ${first} ثم ${later} كل شهر حتى تلغي الاشتراك. إذا ألغيت قبل ذلك، لن يُخصم أي مبلغ.`,
    chargedYearly: (first, date, later) =>
      `التجربة مجانية وتنتهي في ${date}. بعدها تدفع ${first} ثم ${later} كل سنة حتى تلغي الاشتراك. إذا ألغيت قبل ذلك، لن يُخصم أي مبلغ.`,
    used: 'سبق أن حصلت على تجربة لهذا المنتج. لم يُطلب شيء ولم يُخصم أي مبلغ. يمكنك طلبه بدون تجربة.',
  },
  de: {
    start: 'Kostenlose Testphase starten',
    freeUntil: (date) => `Kostenlos bis ${date}`,
    ends: (date) =>
      `Die Testphase ist kostenlos und endet am ${date}. Es wird nichts abgebucht, es sei denn, Sie wählen vorher in Ihrem Konto eine Zahlungsart.`,
    thenMonthly: (first, date, later) =>
      `Wenn Sie eine wählen, zahlen Sie ${first} am ${date} und danach ${later} jeden Monat, bis Sie kündigen. Sie können jederzeit kündigen.`,
    thenYearly: (first, date, later) =>
      `Wenn Sie eine wählen, zahlen Sie ${first} am ${date} und danach ${later} jedes Jahr, bis Sie kündigen. Sie können jederzeit kündigen.`,
    chargedMonthly: (first, date, later) =>
      `Die Testphase ist kostenlos und endet am ${date}. Dann zahlen Sie ${first} und danach ${later} jeden Monat, bis Sie kündigen. Wenn Sie vorher kündigen, wird nichts abgebucht.`,
    chargedYearly: (first, date, later) =>
      `Die Testphase ist kostenlos und endet am ${date}. Dann zahlen Sie ${first} und danach ${later} jedes Jahr, bis Sie kündigen. Wenn Sie vorher kündigen, wird nichts abgebucht.`,
    used: 'Sie haben dieses Produkt bereits getestet. Es wurde nichts bestellt und nichts abgebucht. Sie können es ohne Testphase bestellen.',
  },
  es: {
    start: 'Empezar la prueba gratuita',
    freeUntil: (date) => `Gratis hasta el ${date}`,
    ends: (date) => `La prueba es gratuita y termina el ${date}. No se cobra nada, salvo que antes elija una forma de pago en su cuenta.`,
    thenMonthly: (first, date, later) =>
      `Si elige una, paga ${first} el ${date} y después ${later} cada mes, hasta que cancele. Puede cancelar en cualquier momento.`,
    thenYearly: (first, date, later) =>
      `Si elige una, paga ${first} el ${date} y después ${later} cada año, hasta que cancele. Puede cancelar en cualquier momento.`,
    chargedMonthly: (first, date, later) =>
      `La prueba es gratuita y termina el ${date}. Entonces paga ${first} y después ${later} cada mes, hasta que cancele. Si cancela antes, no se cobra nada.`,
    chargedYearly: (first, date, later) =>
      `La prueba es gratuita y termina el ${date}. Entonces paga ${first} y después ${later} cada año, hasta que cancele. Si cancela antes, no se cobra nada.`,
    used: 'Ya ha tenido una prueba de este producto. No se ha pedido ni cobrado nada. Puede pedirlo sin prueba.',
  },
  fr: {
    start: 'Commencer l’essai gratuit',
    freeUntil: (date) => `Gratuit jusqu’au ${date}`,
    ends: (date) =>
      `L’essai est gratuit et se termine le ${date}. Rien n’est débité, sauf si vous choisissez auparavant un moyen de paiement dans votre compte.`,
    thenMonthly: (first, date, later) =>
      `Si vous en choisissez un, vous payez ${first} le ${date}, puis ${later} chaque mois, jusqu’à la résiliation. Vous pouvez résilier à tout moment.`,
    thenYearly: (first, date, later) =>
      `Si vous en choisissez un, vous payez ${first} le ${date}, puis ${later} chaque année, jusqu’à la résiliation. Vous pouvez résilier à tout moment.`,
    chargedMonthly: (first, date, later) =>
      `L’essai est gratuit et se termine le ${date}. Vous payez alors ${first}, puis ${later} chaque mois, jusqu’à la résiliation. Si vous résiliez avant, rien n’est débité.`,
    chargedYearly: (first, date, later) =>
      `L’essai est gratuit et se termine le ${date}. Vous payez alors ${first}, puis ${later} chaque année, jusqu’à la résiliation. Si vous résiliez avant, rien n’est débité.`,
    used: 'Vous avez déjà eu un essai de ce produit. Rien n’a été commandé ni débité. Vous pouvez le commander sans essai.',
  },
  he: {
    start: 'התחלת תקופת הניסיון בחינם',
    freeUntil: (date) => `בחינם עד ${date}`,
    ends: (date) => `תקופת הניסיון היא בחינם ומסתיימת ב־${date}. לא ייגבה דבר, אלא אם ייבחר לפני כן אמצעי תשלום בחשבון.`,
    thenMonthly: (first, date, later) =>
      `אם ייבחר אמצעי תשלום, ישולמו ${first} ב־${date} ולאחר מכן ${later} בכל חודש, עד לביטול. אפשר לבטל בכל עת.`,
    thenYearly: (first, date, later) =>
      `אם ייבחר אמצעי תשלום, ישולמו ${first} ב־${date} ולאחר מכן ${later} בכל שנה, עד לביטול. אפשר לבטל בכל עת.`,
    chargedMonthly: (first, date, later) =>
      `תקופת הניסיון היא בחינם ומסתיימת ב־${date}. אז משולמים ${first} ולאחר מכן ${later} בכל חודש, עד לביטול. בביטול לפני כן לא ייגבה דבר.`,
    chargedYearly: (first, date, later) =>
      `תקופת הניסיון היא בחינם ומסתיימת ב־${date}. אז משולמים ${first} ולאחר מכן ${later} בכל שנה, עד לביטול. בביטול לפני כן לא ייגבה דבר.`,
    used: 'כבר הייתה תקופת ניסיון של המוצר הזה. דבר לא הוזמן ולא נגבה כסף. אפשר להזמין אותו ללא תקופת ניסיון.',
  },
  it: {
    start: 'Inizia la prova gratuita',
    freeUntil: (date) => `Gratis fino al ${date}`,
    ends: (date) =>
      `La prova è gratuita e termina il ${date}. Non viene addebitato nulla, a meno che prima tu non scelga un metodo di pagamento nel tuo account.`,
    thenMonthly: (first, date, later) =>
      `Se ne scegli uno, paghi ${first} il ${date} e poi ${later} ogni mese, fino alla disdetta. Puoi disdire in qualsiasi momento.`,
    thenYearly: (first, date, later) =>
      `Se ne scegli uno, paghi ${first} il ${date} e poi ${later} ogni anno, fino alla disdetta. Puoi disdire in qualsiasi momento.`,
    chargedMonthly: (first, date, later) =>
      `La prova è gratuita e termina il ${date}. Poi paghi ${first} e in seguito ${later} ogni mese, fino alla disdetta. Se disdici prima, non viene addebitato nulla.`,
    chargedYearly: (first, date, later) =>
      `La prova è gratuita e termina il ${date}. Poi paghi ${first} e in seguito ${later} ogni anno, fino alla disdetta. Se disdici prima, non viene addebitato nulla.`,
    used: 'Hai già avuto una prova di questo prodotto. Non è stato ordinato né addebitato nulla. Puoi ordinarlo senza prova.',
  },
  ja: {
    start: '無料体験を始める',
    freeUntil: (date) => `${date}まで無料`,
    ends: (date) => `体験期間は無料で、${date}に終了します。それまでにアカウントで支払い方法を選択しない限り、請求は発生しません。`,
    thenMonthly: (first, date, later) =>
      `支払い方法を選択した場合は、${date}に${first}、その後は解約するまで毎月${later}をお支払いいただきます。いつでも解約できます。`,
    thenYearly: (first, date, later) =>
      `支払い方法を選択した場合は、${date}に${first}、その後は解約するまで毎年${later}をお支払いいただきます。いつでも解約できます。`,
    chargedMonthly: (first, date, later) =>
      `体験期間は無料で、${date}に終了します。その日に${first}、その後は解約するまで毎月${later}をお支払いいただきます。それまでに解約した場合、請求は発生しません。`,
    chargedYearly: (first, date, later) =>
      `体験期間は無料で、${date}に終了します。その日に${first}、その後は解約するまで毎年${later}をお支払いいただきます。それまでに解約した場合、請求は発生しません。`,
    used: 'この商品の無料体験はすでにご利用済みです。注文も請求も行われていません。体験なしで注文できます。',
  },
  ko: {
    start: '무료 체험 시작',
    freeUntil: (date) => `${date}까지 무료`,
    ends: (date) => `체험은 무료이며 ${date}에 종료됩니다. 그 전에 계정에서 결제 수단을 선택하지 않으면 아무것도 청구되지 않습니다.`,
    thenMonthly: (first, date, later) =>
      `결제 수단을 선택하면 ${date}에 ${first}, 이후 해지할 때까지 매월 ${later}을(를) 결제합니다. 언제든지 해지할 수 있습니다.`,
    thenYearly: (first, date, later) =>
      `결제 수단을 선택하면 ${date}에 ${first}, 이후 해지할 때까지 매년 ${later}을(를) 결제합니다. 언제든지 해지할 수 있습니다.`,
    chargedMonthly: (first, date, later) =>
      `체험은 무료이며 ${date}에 종료됩니다. 그때 ${first}, 이후 해지할 때까지 매월 ${later}을(를) 결제합니다. 그 전에 해지하면 아무것도 청구되지 않습니다.`,
    chargedYearly: (first, date, later) =>
      `체험은 무료이며 ${date}에 종료됩니다. 그때 ${first}, 이후 해지할 때까지 매년 ${later}을(를) 결제합니다. 그 전에 해지하면 아무것도 청구되지 않습니다.`,
    used: '이 상품의 체험을 이미 이용하셨습니다. 주문되거나 청구된 것은 없습니다. 체험 없이 주문할 수 있습니다.',
  },
  nl: {
    start: 'Gratis proefperiode starten',
    freeUntil: (date) => `Gratis tot ${date}`,
    ends: (date) =>
      `De proefperiode is gratis en eindigt op ${date}. Er wordt niets afgeschreven, tenzij u voor die tijd een betaalmethode in uw account kiest.`,
    thenMonthly: (first, date, later) =>
      `Als u er een kiest, betaalt u ${first} op ${date} en daarna ${later} per maand, tot u opzegt. U kunt op elk moment opzeggen.`,
    thenYearly: (first, date, later) =>
      `Als u er een kiest, betaalt u ${first} op ${date} en daarna ${later} per jaar, tot u opzegt. U kunt op elk moment opzeggen.`,
    chargedMonthly: (first, date, later) =>
      `De proefperiode is gratis en eindigt op ${date}. Dan betaalt u ${first} en daarna ${later} per maand, tot u opzegt. Als u eerder opzegt, wordt er niets afgeschreven.`,
    chargedYearly: (first, date, later) =>
      `De proefperiode is gratis en eindigt op ${date}. Dan betaalt u ${first} en daarna ${later} per jaar, tot u opzegt. Als u eerder opzegt, wordt er niets afgeschreven.`,
    used: 'U hebt dit product al eens uitgeprobeerd. Er is niets besteld en niets afgeschreven. U kunt het zonder proefperiode bestellen.',
  },
  pt: {
    start: 'Começar o período experimental gratuito',
    freeUntil: (date) => `Grátis até ${date}`,
    ends: (date) =>
      `O período experimental é gratuito e termina em ${date}. Nada é cobrado, a menos que antes escolha um método de pagamento na sua conta.`,
    thenMonthly: (first, date, later) =>
      `Se escolher um, paga ${first} em ${date} e depois ${later} por mês, até cancelar. Pode cancelar a qualquer momento.`,
    thenYearly: (first, date, later) =>
      `Se escolher um, paga ${first} em ${date} e depois ${later} por ano, até cancelar. Pode cancelar a qualquer momento.`,
    chargedMonthly: (first, date, later) =>
      `O período experimental é gratuito e termina em ${date}. Então paga ${first} e depois ${later} por mês, até cancelar. Se cancelar antes, nada é cobrado.`,
    chargedYearly: (first, date, later) =>
      `O período experimental é gratuito e termina em ${date}. Então paga ${first} e depois ${later} por ano, até cancelar. Se cancelar antes, nada é cobrado.`,
    used: 'Já teve um período experimental deste produto. Nada foi encomendado nem cobrado. Pode encomendá-lo sem período experimental.',
  },
  zh: {
    start: '开始免费试用',
    freeUntil: (date) => `免费至 ${date}`,
    ends: (date) => `试用免费，于 ${date} 结束。除非您在此之前在账户中选择付款方式，否则不会扣款。`,
    thenMonthly: (first, date, later) =>
      `如果您选择了付款方式，将于 ${date} 支付 ${first}，此后每月支付 ${later}，直至您取消。您可以随时取消。`,
    thenYearly: (first, date, later) =>
      `如果您选择了付款方式，将于 ${date} 支付 ${first}，此后每年支付 ${later}，直至您取消。您可以随时取消。`,
    chargedMonthly: (first, date, later) =>
      `试用免费，于 ${date} 结束。届时支付 ${first}，此后每月支付 ${later}，直至您取消。如果在此之前取消，不会扣款。`,
    chargedYearly: (first, date, later) =>
      `试用免费，于 ${date} 结束。届时支付 ${first}，此后每年支付 ${later}，直至您取消。如果在此之前取消，不会扣款。`,
    used: '您已经试用过此产品。未下单，也未扣款。您可以不经试用直接订购。',
  },
  'zh-Hant': {
    start: '開始免費試用',
    freeUntil: (date) => `免費至 ${date}`,
    ends: (date) => `試用免費，於 ${date} 結束。除非您在此之前在帳戶中選擇付款方式，否則不會扣款。`,
    thenMonthly: (first, date, later) =>
      `如果您選擇了付款方式，將於 ${date} 支付 ${first}，此後每月支付 ${later}，直至您取消。您可以隨時取消。`,
    thenYearly: (first, date, later) =>
      `如果您選擇了付款方式，將於 ${date} 支付 ${first}，此後每年支付 ${later}，直至您取消。您可以隨時取消。`,
    chargedMonthly: (first, date, later) =>
      `試用免費，於 ${date} 結束。屆時支付 ${first}，此後每月支付 ${later}，直至您取消。如果在此之前取消，不會扣款。`,
    chargedYearly: (first, date, later) =>
      `試用免費，於 ${date} 結束。屆時支付 ${first}，此後每年支付 ${later}，直至您取消。如果在此之前取消，不會扣款。`,
    used: '您已經試用過此產品。未下單，也未扣款。您可以不經試用直接訂購。',
  },
}
