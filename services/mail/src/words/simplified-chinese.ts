import type { BaseMailWords } from './mail-words.ts'

export const simplifiedChinese: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: '{seller} 的收据',
    title: '感谢您的订购',
    text: '{seller} 已收到您 {amount} 的付款。',
    freeTitle: '感谢您的订购',
    freeText: '{seller} 已登记您的订单。无需付款。',
    startedTitle: '您的订阅已开始',
    renewedTitle: '您的订阅已续订',
    changedTitle: '您的方案变更已付款',
  },
  refund: {
    subject: '{seller} 的退款',
    title: '您的退款',
    text: '{seller} 已退款 {amount}。款项可能需要几天才会出现在您的账户中。',
  },
  paymentFailed: {
    subject: '{product} 的付款失败',
    title: '您的付款失败',
    text: '{product} 的付款被拒绝，没有扣款。在付款成功之前，您的使用权限暂停。',
  },
  cancelled: {
    subject: '您的 {product} 订阅已取消',
    title: '您的订阅已取消',
    text: '您可以继续使用 {product} 至 {date}。之后订阅不会续订。',
    pausedText: '由于付款失败，您对 {product} 的使用权限已暂停。付款成功后，您可以使用至 {date}，之后订阅结束。',
  },
  uncancelled: {
    subject: '您的 {product} 订阅将继续',
    title: '您的订阅将继续',
    text: '{product} 的取消已撤回。下次付款日期为 {date}。',
  },
  ended: {
    subject: '您的 {product} 订阅已结束',
    title: '您的订阅已结束',
    text: '您对 {product} 的使用权限已结束。之后订阅不会续订。',
  },
  planChanged: {
    subject: '您在 {seller} 的方案已变更',
    title: '您的方案已变更',
    text: '{old} 已变更为 {product}。',
  },
  invoice: {
    subject: '{seller} 的发票 {number}',
    title: '您的发票',
    text: '{seller} 的发票已准备好。链接有效期至 {date}。',
  },
  creditNote: {
    subject: '{seller} 的贷记单 {number}',
    title: '您的贷记单',
    text: '{seller} 的贷记单已准备好。链接有效期至 {date}。',
  },
  code: {
    subject: '{seller} 的登录验证码',
    title: '您的登录验证码',
    text: '请在 {seller} 的登录页面输入此验证码。验证码只能使用一次，15 分钟内有效。',
    warning: '如果不是您本人请求，请忽略此邮件。切勿将验证码告诉他人：{seller} 不会向您索取。',
  },
  invitation: {
    subject: '{seller} 的邀请',
    title: '您收到一份邀请',
    text: '您受邀成为 {seller} 的成员。邀请有效期至 {date}。',
    warning: '如果您没有预期收到邀请，请忽略此邮件。',
  },
  facts: {
    date: '日期',
    subtotal: '小计',
    discount: '折扣',
    tax: '税',
    total: '总计',
    refunded: '退款金额',
    price: '价格',
    nextPayment: '下次付款',
    accessUntil: '使用期限',
    number: '编号',
    amount: '金额',
  },
  per: { month: '每月 {amount}', year: '每年 {amount}' },
  actions: { portal: '您的购买', pay: '立即支付', invoice: '打开发票', creditNote: '打开贷记单', invitation: '打开邀请' },
  footers: {
    customer: '您收到此邮件是因为您在 {seller} 的购买。',
    code: '您收到此邮件是因为有人在 {seller} 的登录页面输入了您的地址。',
    invitation: '您收到此邮件是因为 {seller} 的成员输入了您的地址。',
  },
}
