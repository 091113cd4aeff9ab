import { migration } from '@quittance/runtime/schema'

const tables = ['checkouts', 'subscriptions', 'orders']

/**
 * A fixed discount has a currency; nothing in another currency can have it. Subscriptions that kept one through a change of product lose
 * it; their orders stay as they are. The previous release removes it at its next order only.
 */
export const matchDiscountCurrency = migration('20261123121000-match-discount-currency', [
  `update subscriptions s set discount_id = null, discount_from = null, amount = s.price_amount, version = s.version + 1
    from discounts d where d.id = s.discount_id and d.currency <> s.currency and s.ended_at is null`,
  `create function discount_has_same_currency() returns trigger language plpgsql as $$
  begin
    if exists (select from discounts where id = new.discount_id and currency <> new.currency) then
      raise exception 'discount % is of another currency than %', new.discount_id, new.currency using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  // Deferred: the previous product and its discount may be replaced by two statements.
  ...tables.map(
    (table) => `create constraint trigger ${table}_discount_has_currency after insert or update of discount_id, currency on ${table}
      deferrable initially deferred for each row when (new.discount_id is not null) execute function discount_has_same_currency()`,
  ),
])
