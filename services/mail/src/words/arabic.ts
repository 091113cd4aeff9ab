import type { BaseMailWords } from './mail-words.ts'

export const arabic: BaseMailWords = {
  direction: 'rtl',
  receipt: {
    subject: 'إيصالك من {seller}',
    title: 'شكرًا على طلبك',
    text: 'استلم {seller} دفعتك بقيمة {amount}.',
    freeTitle: 'شكرًا على طلبك',
    freeText: 'سجّل {seller} طلبك. لا يوجد مبلغ مستحق.',
    startedTitle: 'بدأ اشتراكك',
    renewedTitle: 'تم تجديد اشتراكك',
    changedTitle: 'تم دفع تغيير خطتك',
  },
  refund: {
    subject: 'استرداد من {seller}',
    title: 'المبلغ المسترد',
    text: 'أعاد {seller} مبلغ {amount}. قد يستغرق ظهور المبلغ في حسابك بضعة أيام.',
  },
  paymentFailed: {
    subject: 'فشل الدفع مقابل {product}',
    title: 'فشلت دفعتك',
    text: 'رُفض الدفع مقابل {product}. لم يُخصم أي مبلغ. وصولك متوقف حتى ينجح الدفع.',
  },
  cancelled: {
    subject: 'أُلغي اشتراكك في {product}',
    title: 'أُلغي اشتراكك',
    text: 'يبقى وصولك إلى {product} حتى {date}. لن يتجدد الاشتراك بعد ذلك.',
    pausedText: 'وصولك إلى {product} متوقف لأن دفعة فشلت. عند نجاحها يكون لديك وصول حتى {date}. ثم ينتهي الاشتراك.',
  },
  uncancelled: {
    subject: 'اشتراكك في {product} مستمر',
    title: 'اشتراكك مستمر',
    text: 'سُحب إلغاء {product}. موعد الدفعة التالية {date}.',
  },
  ended: {
    subject: 'انتهى اشتراكك في {product}',
    title: 'انتهى اشتراكك',
    text: 'انتهى وصولك إلى {product}. لن يتجدد الاشتراك بعد ذلك.',
  },
  planChanged: {
    subject: 'تغيّرت خطتك لدى {seller}',
    title: 'تغيّرت خطتك',
    text: 'حلّ {product} محل {old}.',
  },
  invoice: {
    subject: 'فاتورة {number} من {seller}',
    title: 'فاتورتك',
    text: 'فاتورة {seller} جاهزة. الرابط صالح حتى {date}.',
  },
  creditNote: {
    subject: 'إشعار دائن {number} من {seller}',
    title: 'إشعارك الدائن',
    text: 'الإشعار الدائن من {seller} جاهز. الرابط صالح حتى {date}.',
  },
  code: {
    subject: 'رمز تسجيل الدخول إلى {seller}',
    title: 'رمز تسجيل الدخول',
    text: 'أدخل هذا الرمز في صفحة تسجيل الدخول لدى {seller}. يعمل مرة واحدة وهو صالح لمدة 15 دقيقة.',
    warning: 'إذا لم تطلبه فتجاهل هذه الرسالة. لا تعطِ الرمز لأحد: لن يطلبه منك {seller}.',
  },
  invitation: {
    subject: 'دعوة إلى {seller}',
    title: 'لديك دعوة',
    text: 'أنت مدعو لتصبح عضوًا في {seller}. الدعوة صالحة حتى {date}.',
    warning: 'إذا لم تكن تتوقعها فتجاهل هذه الرسالة.',
  },
  facts: {
    date: 'التاريخ',
    subtotal: 'المجموع الفرعي',
    discount: 'الخصم',
    tax: 'الضريبة',
    total: 'الإجمالي',
    refunded: 'المسترد',
    price: 'السعر',
    nextPayment: 'الدفعة التالية',
    accessUntil: 'الوصول حتى',
    number: 'الرقم',
    amount: 'المبلغ',
  },
  per: { month: '{amount} في الشهر', year: '{amount} في السنة' },
  actions: { portal: 'مشترياتك', pay: 'ادفع الآن', invoice: 'فتح الفاتورة', creditNote: 'فتح الإشعار الدائن', invitation: 'فتح الدعوة' },
  footers: {
    customer: 'تصلك هذه الرسالة بسبب شرائك من {seller}.',
    code: 'تصلك هذه الرسالة لأن عنوانك أُدخل في صفحة تسجيل الدخول لدى {seller}.',
    invitation: 'تصلك هذه الرسالة لأن أحد أعضاء {seller} أدخل عنوانك.',
  },
}
