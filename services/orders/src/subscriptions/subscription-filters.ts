/** Condition of the filter `active`, as its index has it; `s` is the subscription. */
export const isActive = `(s.status in ('trialing', 'active')) = :active`
