import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { listCountries, listStates } from '@quittance/pages/countries'
import { selectField, textField, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from '../page/page-context.ts'
import type { CheckoutForm } from './checkout-form.ts'
import { findNeededFields, type NeededFields } from './needed-fields.ts'

/** What the fields of a checkout show. */
export interface BuyerFields {
  checkout: CheckoutPublic
  form: CheckoutForm
  errors: readonly FormError[]
  context: PageContext
}

/** Renders who buys: name and e-mail address, and the parts of the address that tax or invoice need. */
export function buyerFields(fields: BuyerFields): Html {
  const { checkout, form, errors, context } = fields
  const { checkout: words } = context.words
  const error = (name: string) => errors.find(({ field }) => field === name)?.message
  const needed = findNeededFields(checkout, form.country)
  const isLocked = checkout.customer_id !== null
  return html`<section class="section" aria-labelledby="contact">
    <h2 id="contact">${words.contact}</h2>
    <div class="fields">
      ${textField({
        name: 'customer_email',
        label: words.email,
        value: isLocked ? (checkout.customer_email ?? '') : form.email,
        type: 'email',
        maxlength: 254,
        autocomplete: 'email',
        isRequired: true,
        isLocked,
        hint: isLocked ? words.emailLocked : null,
        error: error('customer_email'),
      })}
      ${textField({
        name: 'customer_name',
        label: words.name,
        value: form.name,
        autocomplete: 'name',
        isRequired: true,
        error: error('customer_name'),
      })}
      ${
        needed.country &&
        html`<div data-live-field>
          ${selectField({
            name: 'customer_billing_address.country',
            label: words.country,
            value: form.country ?? '',
            options: listCountries(context.language),
            prompt: words.chooseCountry,
            autocomplete: 'billing country',
            isRequired: true,
            error: error('customer_billing_address.country'),
          })}
        </div>`
      }
      <div data-live="address" data-live-field class="fields">${addressFields(fields, needed)}</div>
      ${needed.country && businessFields(fields)}
    </div>
  </section>`
}

/** The parts that depend on the country; replaced when it changes. */
function addressFields({ form, errors, context }: BuyerFields, needed: NeededFields): Html {
  const { checkout: words } = context.words
  const error = (name: string) => errors.find(({ field }) => field === `customer_billing_address.${name}`)?.message
  const text = (name: string, about: { label: string; value: string; autocomplete: string; isOptional?: boolean }) =>
    textField({
      name: `customer_billing_address.${name}`,
      label: about.label,
      value: about.value,
      autocomplete: `billing ${about.autocomplete}`,
      isRequired: !about.isOptional,
      optional: context.words.common.optional,
      error: error(name),
    })
  const state =
    needed.state &&
    selectField({
      name: 'customer_billing_address.state',
      label: form.country === 'CA' ? words.province : words.state,
      value: form.state,
      options: listStates(form.country),
      prompt: words.choose,
      autocomplete: 'billing address-level1',
      isRequired: true,
      error: error('state'),
    })
  const postalCode =
    needed.postalCode && text('postal_code', { label: words.postalCode, value: form.postalCode, autocomplete: 'postal-code' })
  return html`${
    needed.street &&
    html`${text('line1', { label: words.line1, value: form.line1, autocomplete: 'address-line1' })}
    ${text('line2', { label: words.line2, value: form.line2, autocomplete: 'address-line2', isOptional: true })}`
  }
  ${
    (postalCode || needed.street) &&
    html`<div class="pair">
      ${postalCode} ${needed.street && text('city', { label: words.city, value: form.city, autocomplete: 'address-level2' })}
    </div>`
  }
  ${state}`
}

/** Opened by the box without a script. */
function businessFields({ form, errors, context }: BuyerFields): Html {
  const { checkout: words } = context.words
  const error = (name: string) => errors.find(({ field }) => field === name)?.message
  return html`<label class="check business" data-live-field>
      <input type="checkbox" name="is_business_customer" value="yes" ${form.isBusiness && html`checked`} />
      <span>${words.business}</span>
    </label>
    <div class="fields company">
      ${textField({
        name: 'customer_billing_name',
        label: words.company,
        value: form.company,
        autocomplete: 'organization',
        isRequired: true,
        error: error('customer_billing_name'),
      })}
      <div data-live-field>
        ${textField({
          name: 'customer_tax_id',
          label: words.taxId,
          value: form.taxId,
          maxlength: 50,
          optional: context.words.common.optional,
          hint: words.taxIdHint,
          error: error('customer_tax_id'),
        })}
      </div>
    </div>`
}
