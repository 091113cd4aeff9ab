import type { BaseMailWords } from './mail-words.ts'

export const korean: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: '{seller}의 영수증',
    title: '주문해 주셔서 감사합니다',
    text: '{seller}에서 {amount} 결제를 확인했습니다.',
    freeTitle: '주문해 주셔서 감사합니다',
    freeText: '{seller}에서 주문을 접수했습니다. 결제할 금액은 없습니다.',
    startedTitle: '구독이 시작되었습니다',
    renewedTitle: '구독이 갱신되었습니다',
    changedTitle: '요금제 변경 결제가 완료되었습니다',
  },
  refund: {
    subject: '{seller}의 환불',
    title: '환불 안내',
    text: '{seller}에서 {amount}을(를) 환불했습니다. 계좌에 표시되기까지 며칠이 걸릴 수 있습니다.',
  },
  paymentFailed: {
    subject: '{product} 결제에 실패했습니다',
    title: '결제에 실패했습니다',
    text: '{product} 결제가 거절되었습니다. 청구된 금액은 없습니다. 결제될 때까지 이용이 중지됩니다.',
  },
  cancelled: {
    subject: '{product} 구독이 해지되었습니다',
    title: '구독이 해지되었습니다',
    text: '{date}까지 {product}을(를) 이용할 수 있습니다. 구독은 더 이상 갱신되지 않습니다.',
    pausedText: '결제가 실패하여 {product} 이용이 중지되었습니다. 결제되면 {date}까지 이용할 수 있으며, 그 후 구독이 종료됩니다.',
  },
  uncancelled: {
    subject: '{product} 구독이 계속됩니다',
    title: '구독이 계속됩니다',
    text: '{product} 해지가 철회되었습니다. 다음 결제일은 {date}입니다.',
  },
  ended: {
    subject: '{product} 구독이 종료되었습니다',
    title: '구독이 종료되었습니다',
    text: '{product} 이용이 종료되었습니다. 구독은 더 이상 갱신되지 않습니다.',
  },
  planChanged: {
    subject: '{seller} 요금제가 변경되었습니다',
    title: '요금제가 변경되었습니다',
    text: '{old}에서 {product}(으)로 변경되었습니다.',
  },
  invoice: {
    subject: '{seller}의 청구서 {number}',
    title: '청구서',
    text: '{seller}의 청구서가 준비되었습니다. 링크는 {date}까지 유효합니다.',
  },
  creditNote: {
    subject: '{seller}의 대변 전표 {number}',
    title: '대변 전표',
    text: '{seller}의 대변 전표가 준비되었습니다. 링크는 {date}까지 유효합니다.',
  },
  code: {
    subject: '{seller} 로그인 코드',
    title: '로그인 코드',
    text: '{seller} 로그인 페이지에 이 코드를 입력하세요. 한 번만 사용할 수 있으며 15분 동안 유효합니다.',
    warning: '요청하지 않았다면 이 메일을 무시하세요. 코드를 다른 사람에게 알려주지 마세요. {seller}은(는) 코드를 묻지 않습니다.',
  },
  invitation: {
    subject: '{seller} 초대',
    title: '초대를 받았습니다',
    text: '{seller}의 구성원으로 초대받았습니다. 초대는 {date}까지 유효합니다.',
    warning: '예상하지 못한 초대라면 이 메일을 무시하세요.',
  },
  facts: {
    date: '날짜',
    subtotal: '소계',
    discount: '할인',
    tax: '세금',
    total: '합계',
    refunded: '환불 금액',
    price: '가격',
    nextPayment: '다음 결제',
    accessUntil: '이용 기한',
    number: '번호',
    amount: '금액',
  },
  per: { month: '월 {amount}', year: '연 {amount}' },
  actions: { portal: '구매 내역', pay: '지금 결제', invoice: '청구서 열기', creditNote: '대변 전표 열기', invitation: '초대 열기' },
  footers: {
    customer: '{seller}에서 구매하셨기 때문에 이 메일을 받으셨습니다.',
    code: '{seller} 로그인 페이지에 귀하의 주소가 입력되어 이 메일을 받으셨습니다.',
    invitation: '{seller}의 구성원이 귀하의 주소를 입력하여 이 메일을 받으셨습니다.',
  },
}
