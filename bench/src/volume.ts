/** The same amount of data for every contender. */
export const volume = { orders: 10_000, linesPerOrder: 3, customers: 1_000, products: 20 }

/** SQL of a function that returns the id of the n-th row of a kind: a UUID of version 4 that is the same in every run. */
export const idFunction = `create function pg_temp.id(kind text, n integer) returns uuid language sql immutable as
  $$ select overlay(overlay(md5(kind || n) placing '4' from 13 for 1) placing 'a' from 17 for 1)::uuid $$`
