import type { BaseMailWords } from './mail-words.ts'

export const japanese: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: '{seller} からの領収メール',
    title: 'ご注文ありがとうございます',
    text: '{seller} が {amount} のお支払いを受け取りました。',
    freeTitle: 'ご注文ありがとうございます',
    freeText: '{seller} がご注文を受け付けました。お支払いは不要です。',
    startedTitle: 'サブスクリプションが始まりました',
    renewedTitle: 'サブスクリプションが更新されました',
    changedTitle: 'プラン変更のお支払いが完了しました',
  },
  refund: {
    subject: '{seller} からの返金',
    title: '返金のお知らせ',
    text: '{seller} が {amount} を返金しました。口座に反映されるまで数日かかることがあります。',
  },
  paymentFailed: {
    subject: '{product} のお支払いができませんでした',
    title: 'お支払いができませんでした',
    text: '{product} のお支払いが拒否されました。料金は引き落とされていません。お支払いが完了するまで、ご利用は停止されます。',
  },
  cancelled: {
    subject: '{product} のサブスクリプションは解約されました',
    title: 'サブスクリプションは解約されました',
    text: '{product} は {date} までご利用いただけます。サブスクリプションは更新されません。',
    pausedText:
      'お支払いが失敗したため、{product} のご利用は停止されています。お支払いが完了すると {date} までご利用いただけます。その後サブスクリプションは終了します。',
  },
  uncancelled: {
    subject: '{product} のサブスクリプションは継続されます',
    title: 'サブスクリプションは継続されます',
    text: '{product} の解約は取り消されました。次回のお支払いは {date} です。',
  },
  ended: {
    subject: '{product} のサブスクリプションは終了しました',
    title: 'サブスクリプションは終了しました',
    text: '{product} のご利用は終了しました。サブスクリプションは更新されません。',
  },
  planChanged: {
    subject: '{seller} のプランが変更されました',
    title: 'プランが変更されました',
    text: '{old} から {product} に変更されました。',
  },
  invoice: {
    subject: '{seller} からの請求書 {number}',
    title: '請求書',
    text: '{seller} の請求書をご用意しました。リンクは {date} まで有効です。',
  },
  creditNote: {
    subject: '{seller} からのクレジットノート {number}',
    title: 'クレジットノート',
    text: '{seller} のクレジットノートをご用意しました。リンクは {date} まで有効です。',
  },
  code: {
    subject: '{seller} のログインコード',
    title: 'ログインコード',
    text: '{seller} のログインページでこのコードを入力してください。1 回のみ使用でき、15 分間有効です。',
    warning:
      'お心当たりがない場合は、このメールを無視してください。コードを他人に教えないでください。{seller} がコードをお尋ねすることはありません。',
  },
  invitation: {
    subject: '{seller} への招待',
    title: '招待が届いています',
    text: '{seller} のメンバーに招待されています。招待は {date} まで有効です。',
    warning: 'お心当たりがない場合は、このメールを無視してください。',
  },
  facts: {
    date: '日付',
    subtotal: '小計',
    discount: '割引',
    tax: '税',
    total: '合計',
    refunded: '返金額',
    price: '価格',
    nextPayment: '次回のお支払い',
    accessUntil: 'ご利用期限',
    number: '番号',
    amount: '金額',
  },
  per: { month: '{amount}／月', year: '{amount}／年' },
  actions: {
    portal: '購入内容',
    pay: '今すぐ支払う',
    invoice: '請求書を開く',
    creditNote: 'クレジットノートを開く',
    invitation: '招待を開く',
  },
  footers: {
    customer: 'このメールは {seller} でのご購入に関してお送りしています。',
    code: 'このメールは {seller} のログインページにお客様のアドレスが入力されたためお送りしています。',
    invitation: 'このメールは {seller} のメンバーがお客様のアドレスを入力したためお送りしています。',
  },
}
