import { sharedStyles } from '@quittance/pages/styles'

/** The shared parts, and the layouts of the pages for buyers. */
export const storefrontStyles = `${sharedStyles}
.page { max-inline-size: 1040px; margin-inline: auto; padding-inline: 24px; padding-block: 24px 48px; min-block-size: 100vh; display: flex; flex-direction: column; }
main { flex: 1; } main:focus { outline: none; }
.narrow { max-inline-size: 560px; margin-inline: auto; }
.middle { max-inline-size: 760px; margin-inline: auto; }
.head { display: flex; flex-wrap: wrap; gap: 4px 16px; justify-content: space-between; align-items: center; margin-block-end: 32px; min-block-size: 44px; }
.brand { font-weight: 650; font-size: 18px; min-inline-size: 0; }
.brand::before { content: ""; display: inline-block; inline-size: 12px; block-size: 12px; margin-inline-end: 8px; border-radius: 3px; background: var(--accent); }
.tools { display: flex; gap: 16px; align-items: center; margin-inline-start: auto; }
.signed-in { display: flex; gap: 8px 16px; flex-wrap: wrap; align-items: center; justify-content: flex-end; }
.foot { margin-block-start: 48px; color: var(--quiet); font-size: 15px; text-align: center; }
.language { position: relative; } .language > summary { list-style: none; white-space: nowrap; min-block-size: 44px; display: flex; align-items: center; color: var(--quiet); font-size: 15px; }
.language > summary::-webkit-details-marker { display: none; }
.language > summary::after { content: ""; inline-size: 7px; block-size: 7px; margin-inline-start: 8px; border: solid currentColor; border-width: 0 2px 2px 0; transform: translateY(-2px) rotate(45deg); }
.languages { position: absolute; inset-inline-end: 0; z-index: 3; inline-size: 240px; padding: 8px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; columns: 2; }
.languages .button { inline-size: 100%; min-block-size: 36px; justify-content: flex-start; text-decoration: none; padding-inline: 8px; }
.languages [aria-current] { font-weight: 650; }
.checkout { display: grid; gap: 24px; }
.checkout > .product, .checkout > .summary { min-inline-size: 0; }
.product h1 { margin-block-end: 4px; } .product .price { font-size: 18px; }
.description { white-space: pre-line; color: var(--quiet); max-block-size: 15em; overflow: auto; }
.summary > summary { list-style: none; display: flex; justify-content: space-between; gap: 16px; align-items: center; min-block-size: 44px; font-weight: 650; font-size: 18px; }
.summary > summary::-webkit-details-marker { display: none; }
.summary > summary::after { content: ""; order: 3; inline-size: 9px; block-size: 9px; flex: none; border: solid currentColor; border-width: 0 2px 2px 0; transform: translateY(-3px) rotate(45deg); }
.summary[open] > summary::after { transform: translateY(2px) rotate(225deg); } .summary > summary > :nth-child(2) { margin-inline-start: auto; }
.summary-body { padding-block-start: 8px; }
.fields { display: grid; gap: 16px; } .fields > * { min-inline-size: 0; } .pair { display: grid; gap: 16px; }
.form > * + * { margin-block-start: 32px; } .fields:not(:has(*)), .form > :not(:has(*)) { display: none; } .section > h2 { margin-block-end: 12px; }
.business:has(:checked) + .company { display: grid; } .company { display: none; }
.before-order { display: grid; gap: 12px; padding-block-start: 24px; border-block-start: 1px solid var(--line); }
.before-order .row { font-size: 18px; font-weight: 650; }
.test { border: 1px dashed currentColor; border-radius: 8px; padding: 8px 12px; color: var(--warn); background: var(--warn-ground); font-size: 15px; font-weight: 600; }
.qr { display: block; inline-size: 200px; max-inline-size: 100%; block-size: auto; border-radius: 8px; }
.inline-form { display: flex; gap: 8px; align-items: flex-end; } .inline-form > :first-child { flex: 1; }
.crumbs { font-size: 15px; } address { font-style: normal; } .columns { display: grid; gap: 24px; }
.keybox { display: flex; flex-wrap: wrap; gap: 8px; justify-content: space-between; align-items: center; background: var(--ground); border-radius: 8px; padding: 8px 12px; }
.provider-form:focus { outline: none; } fieldset:has([value=bank_transfer]:checked) ~ .provider-form, fieldset:has([value=bank_transfer]:checked) ~ .without-scripts { display: none; } .provider-form iframe { inline-size: 100%; border: 0; display: block; }
fieldset:has([name=payment_method_id]:not([value=""]):checked) ~ .new-card { display: none; }
.scripted .without-scripts, html:not(.scripted) .with-scripts, .error:empty { display: none; }
@media (max-width: 859px) {
  .checkout > .summary { position: sticky; inset-block-start: 0; z-index: 1; margin-inline: -24px; padding-inline: 24px; background: var(--ground); border-block: 1px solid var(--line); }
  .summary-body { padding-block-end: 16px; max-block-size: 60vh; overflow: auto; } }
@media (max-width: 480px) { .page { padding-inline: 16px; padding-block-start: 12px; } .head { margin-block-end: 16px; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; } .facts dd { margin-block-end: 8px; }
  .checkout > .summary { margin-inline: -16px; padding-inline: 16px; }
  .rows > .row > :first-child, .actions > .button:not(.plain) { flex: 1 0 100%; } }
@media (max-width: 859px) { .wide-only { display: none; } } @media (min-width: 860px) { .narrow-only { display: none; } }
@media (min-width: 600px) { .pair { grid-template-columns: 1fr 1fr; } }
@media (min-width: 860px) {
  .checkout { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); grid-template-areas: "product fields" "summary fields"; grid-template-rows: auto 1fr; column-gap: 48px; }
  .checkout > .product { grid-area: product; } .checkout > .summary { grid-area: summary; } .checkout > .form { grid-area: fields; padding: 32px; }
  .checkout > .messages { grid-column: 1 / -1; grid-row: 1; } .checkout:has(> .messages > *) { grid-template-areas: "messages messages" "product fields" "summary fields"; grid-template-rows: auto auto 1fr; }
  @supports selector(::details-content) { .summary > summary { display: none; } .summary::details-content { content-visibility: visible; block-size: auto; } }
  .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
`
