import { migration } from '@quittance/runtime/schema'

/** Amounts of an order whose invoice was requested stay: the invoice is permanent. The release before invoices paid orders only. */
export const keepInvoicedOrders = migration('20261125010000-keep-invoiced-orders', [
  `create function keep_invoiced_order() returns trigger language plpgsql as $$
    begin
      raise exception 'The invoice of order % was requested: its amounts stay', old.id using errcode = 'check_violation';
    end $$`,
  `create trigger orders_keep_invoiced before update of currency, subtotal_amount, discount_amount, net_amount, tax_amount, total_amount, product_id
    on orders for each row
    when (old.invoice_requested_at is not null and
      (old.currency, old.subtotal_amount, old.discount_amount, old.net_amount, old.tax_amount, old.total_amount, old.product_id) is distinct from
      (new.currency, new.subtotal_amount, new.discount_amount, new.net_amount, new.tax_amount, new.total_amount, new.product_id))
    execute function keep_invoiced_order()`,
])
