import { migration } from '@quittance/runtime/schema'

/** Lines name their quantity and their tax. Those of orders placed by the previous release have no tax position. */
export const rateLines = migration('20261123160000-rate-lines', [
  `alter table order_items
    add column quantity integer not null default 1,
    add column tax_position integer,
    add constraint order_items_quantity_divides check (quantity >= 1 and amount % quantity = 0) not valid,
    add constraint order_items_tax_position_from_zero check (tax_position >= 0) not valid`,
  `alter table order_items validate constraint order_items_quantity_divides`,
  `alter table order_items validate constraint order_items_tax_position_from_zero`,
])
