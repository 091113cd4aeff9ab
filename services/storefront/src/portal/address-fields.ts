import type { Address } from '@quittance/contracts/address'
import { hasPostalCodes, listCountries, listStates, nameCountry, parseCountry } from '@quittance/pages/countries'
import { selectField, textField, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import { readText, type PageContext } from '../page/page-context.ts'

/** A name and an address as they are typed. */
export interface TypedAddress {
  name: string
  country: string | null
  state: string
  line1: string
  line2: string
  postalCode: string
  city: string
}

/** Reads name and address of a form; `prefix` is the path of the address in the API. */
export function readAddress(body: unknown, { nameField, prefix }: AddressNames): TypedAddress {
  const text = (name: string) => (readText(body, name) ?? '').trim().slice(0, 250)
  return {
    name: text(nameField),
    country: parseCountry(text(`${prefix}.country`)),
    state: text(`${prefix}.state`),
    line1: text(`${prefix}.line1`),
    line2: text(`${prefix}.line2`),
    postalCode: text(`${prefix}.postal_code`),
    city: text(`${prefix}.city`),
  }
}

/** Names of the fields: paths in the API. */
export interface AddressNames {
  nameField: string
  prefix: string
}

/** Fills the fields with what is known. */
export function fillAddress(name: string | null, address: Address | null): TypedAddress {
  return {
    name: name ?? '',
    country: address?.country ?? null,
    state: address?.state ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    postalCode: address?.postal_code ?? '',
    city: address?.city ?? '',
  }
}

/** Returns the address for the API; null without a country. */
export function toAddressInput({ country, state, line1, line2, postalCode, city }: TypedAddress) {
  if (!country) return null
  const states = listStates(country)
  const known = states.length === 0 || states.some(({ value }) => value === state)
  return {
    country,
    state: known ? state || null : null,
    line1: line1 || null,
    line2: line2 || null,
    postal_code: postalCode || null,
    city: city || null,
  }
}

/** Names the country of an address that has none, because nothing of it would be stored; nothing if no part was typed. */
export function findMissingCountry(typed: TypedAddress, { names, context }: { names: AddressNames; context: PageContext }): FormError[] {
  const { country, state, line1, line2, postalCode, city } = typed
  const isTyped = [state, line1, line2, postalCode, city].some((part) => part !== '')
  return isTyped && country === null ? [{ field: `${names.prefix}.country`, message: context.words.errors.country }] : []
}

/** Returns what an invoice needs and the form lacks. */
export function findMissingAddress(typed: TypedAddress, { names, context }: { names: AddressNames; context: PageContext }): FormError[] {
  const { errors } = context.words
  const missing: [boolean, string, string][] = [
    [!typed.name, names.nameField, errors.name],
    [!typed.line1, `${names.prefix}.line1`, errors.line1],
    [!typed.postalCode && typed.country !== null && hasPostalCodes(typed.country), `${names.prefix}.postal_code`, errors.postalCode],
    [!typed.city, `${names.prefix}.city`, errors.city],
    [!typed.country, `${names.prefix}.country`, errors.country],
  ]
  return missing.flatMap(([isMissing, field, message]) => (isMissing ? [{ field, message }] : []))
}

/** Renders a name and an address that can no longer be changed. */
export function addressBlock(name: string | null, address: Address | null, { language }: PageContext): Html {
  const lines = [name, ...(address ? listLines(address, language) : [])].filter(Boolean)
  return html`<address>${lines.map((line, index) => html`${index > 0 && html`<br />`}<bdi>${line}</bdi>`)}</address>`
}

function listLines({ line1, line2, postal_code: postalCode, city, state, country }: Address, language: string): (string | null)[] {
  const stateName = listStates(country).find(({ value }) => value === state)?.label ?? state
  return [line1, line2, [postalCode, city].filter(Boolean).join(' '), stateName, nameCountry(country, language)]
}

interface AddressFields {
  typed: TypedAddress
  names: AddressNames
  nameLabel: string
  errors: readonly FormError[]
  context: PageContext
}

/** Renders the fields of a name and an address. */
export function addressFields({ typed, names, nameLabel, errors, context }: AddressFields): Html {
  const { checkout, common } = context.words
  const error = (name: string) => errors.find(({ field }) => field === name)?.message
  const text = (part: string, about: { label: string; value: string; autocomplete: string }) =>
    textField({ name: `${names.prefix}.${part}`, ...about, error: error(`${names.prefix}.${part}`) })
  const states = listStates(typed.country)
  return html`<div class="fields">
    ${textField({ name: names.nameField, label: nameLabel, value: typed.name, autocomplete: 'name', error: error(names.nameField) })}
    ${text('line1', { label: checkout.line1, value: typed.line1, autocomplete: 'address-line1' })}
    ${textField({
      name: `${names.prefix}.line2`,
      label: checkout.line2,
      value: typed.line2,
      autocomplete: 'address-line2',
      optional: common.optional,
    })}
    <div class="pair">
      ${text('postal_code', { label: checkout.postalCode, value: typed.postalCode, autocomplete: 'postal-code' })}
      ${text('city', { label: checkout.city, value: typed.city, autocomplete: 'address-level2' })}
    </div>
    ${selectField({
      name: `${names.prefix}.country`,
      label: checkout.country,
      value: typed.country ?? '',
      options: listCountries(context.language),
      prompt: checkout.chooseCountry,
      autocomplete: 'country',
      error: error(`${names.prefix}.country`),
    })}
    ${
      states.length > 0 &&
      selectField({
        name: `${names.prefix}.state`,
        label: typed.country === 'CA' ? checkout.province : checkout.state,
        value: typed.state,
        options: states,
        prompt: checkout.choose,
        autocomplete: 'address-level1',
      })
    }
  </div>`
}
