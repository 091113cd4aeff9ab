/** Condition of the filter `product_billing_type`; `pr` is the product. */
export const byBillingType = `(case when pr.recurring_interval is null then 'one_time' else 'recurring' end) = any(:product_billing_type)`
