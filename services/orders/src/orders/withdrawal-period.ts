/** Members of the EU and the EEA. */
const europe = 'AT,BE,BG,HR,CY,CZ,DK,EE,FI,FR,DE,GR,HU,IS,IE,IT,LV,LI,LT,LU,MT,NL,NO,PL,PT,RO,SK,SI,ES,SE'

/** Zone in which the days of a consumer are counted: that of the country without its islands. */
const zone = `case
    when o.billing_address->>'country' = any ('{PT,IE}') then 'Europe/Lisbon'
    when o.billing_address->>'country' = 'IS' then 'Atlantic/Reykjavik'
    when o.billing_address->>'country' = any ('{BG,CY,EE,FI,GR,LT,LV,RO}') then 'Europe/Helsinki'
    else 'Europe/Brussels' end`

/**
 * SQL expression over `orders o`: the last moment of the right of withdrawal, of consumers in the EU and EEA (Directive 2011/83/EU, Art. 9);
 * null for others, and if access began at once with their consent. Renewals have no such right. The period is 14 whole days after the day of
 * the order, to the end of the last one, or of the next Monday if that is a Saturday or Sunday (Regulation 1182/71, Art. 3). Public holidays
 * are not known: they can only extend it.
 */
export const withdrawalUntil = `case when o.tax_id is null and o.billing_address->>'country' = any ('{${europe}}') then (
    select (last_day + 1 + case extract(isodow from last_day) when 6 then 2 when 7 then 1 else 0 end)::timestamp at time zone zone
      - interval '1 millisecond'
    from checkouts ch,
      lateral (select ${zone} as zone) place,
      lateral (select (o.created_at at time zone zone)::date + 14 as last_day) period
    where ch.id = o.checkout_id and not ch.is_business_customer and ch.immediate_access_consented_at is null) end`
