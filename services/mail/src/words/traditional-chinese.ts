import type { BaseMailWords } from './mail-words.ts'

export const traditionalChinese: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: '{seller} 的收據',
    title: '感謝您的訂購',
    text: '{seller} 已收到您 {amount} 的付款。',
    freeTitle: '感謝您的訂購',
    freeText: '{seller} 已登記您的訂單。無須付款。',
    startedTitle: '您的訂閱已開始',
    renewedTitle: '您的訂閱已續訂',
    changedTitle: '您的方案變更已付款',
  },
  refund: {
    subject: '{seller} 的退款',
    title: '您的退款',
    text: '{seller} 已退款 {amount}。款項可能需要幾天才會出現在您的帳戶中。',
  },
  paymentFailed: {
    subject: '{product} 的付款失敗',
    title: '您的付款失敗',
    text: '{product} 的付款遭拒，沒有扣款。在付款成功之前，您的使用權限暫停。',
  },
  cancelled: {
    subject: '您的 {product} 訂閱已取消',
    title: '您的訂閱已取消',
    text: '您可以繼續使用 {product} 至 {date}。之後訂閱不會續訂。',
    pausedText: '由於付款失敗，您對 {product} 的使用權限已暫停。付款成功後，您可以使用至 {date}，之後訂閱結束。',
  },
  uncancelled: {
    subject: '您的 {product} 訂閱將繼續',
    title: '您的訂閱將繼續',
    text: '{product} 的取消已撤回。下次付款日期為 {date}。',
  },
  ended: {
    subject: '您的 {product} 訂閱已結束',
    title: '您的訂閱已結束',
    text: '您對 {product} 的使用權限已結束。之後訂閱不會續訂。',
  },
  planChanged: {
    subject: '您在 {seller} 的方案已變更',
    title: '您的方案已變更',
    text: '{old} 已變更為 {product}。',
  },
  invoice: {
    subject: '{seller} 的發票 {number}',
    title: '您的發票',
    text: '{seller} 的發票已準備好。連結有效期限至 {date}。',
  },
  creditNote: {
    subject: '{seller} 的折讓單 {number}',
    title: '您的折讓單',
    text: '{seller} 的折讓單已準備好。連結有效期限至 {date}。',
  },
  code: {
    subject: '{seller} 的登入驗證碼',
    title: '您的登入驗證碼',
    text: '請在 {seller} 的登入頁面輸入此驗證碼。驗證碼只能使用一次，15 分鐘內有效。',
    warning: '如果不是您本人要求，請忽略此郵件。切勿將驗證碼告訴他人：{seller} 不會向您索取。',
  },
  invitation: {
    subject: '{seller} 的邀請',
    title: '您收到一份邀請',
    text: '您受邀成為 {seller} 的成員。邀請有效期限至 {date}。',
    warning: '如果您沒有預期收到邀請，請忽略此郵件。',
  },
  facts: {
    date: '日期',
    subtotal: '小計',
    discount: '折扣',
    tax: '稅',
    total: '總計',
    refunded: '退款金額',
    price: '價格',
    nextPayment: '下次付款',
    accessUntil: '使用期限',
    number: '編號',
    amount: '金額',
  },
  per: { month: '每月 {amount}', year: '每年 {amount}' },
  actions: { portal: '您的購買', pay: '立即付款', invoice: '開啟發票', creditNote: '開啟折讓單', invitation: '開啟邀請' },
  footers: {
    customer: '您收到此郵件是因為您在 {seller} 的購買。',
    code: '您收到此郵件是因為有人在 {seller} 的登入頁面輸入了您的地址。',
    invitation: '您收到此郵件是因為 {seller} 的成員輸入了您的地址。',
  },
}
