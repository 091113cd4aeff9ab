import { html, type Html } from './html.ts'

/** A field of a form. Its name is the path of the value in the API, so that an error of the API finds its field. */
export interface Field {
  name: string
  label: string | Html
  value: string
  /** One sentence; null without an error. */
  error?: string | null | undefined
  hint?: string | Html | null
  isRequired?: boolean
  autocomplete?: string
  /** Word for fields that may stay empty; shown after the label. */
  optional?: string | null
}

interface TextField extends Field {
  type?: 'text' | 'email'
  inputmode?: 'decimal' | 'numeric' | 'email'
  maxlength?: number
  isLocked?: boolean
  placeholder?: string
}

interface SelectField extends Field {
  options: readonly { value: string; label: string }[]
  /** First option, without a value. */
  prompt?: string
  /** Attribute for scripts. */
  isLive?: boolean
}

/** Returns the id of the element of a field, to which an error summary links. */
export function fieldId(name: string): string {
  return `field-${name.replaceAll('.', '-')}`
}

/** Renders a text field with its label, hint and error. */
export function textField(field: TextField): Html {
  const { name, value, type = 'text', inputmode, maxlength = 250, isLocked, isRequired, autocomplete } = field
  return frame(
    field,
    html`<input
      class="input"
      id="${fieldId(name)}"
      name="${name}"
      type="${type}"
      value="${value}"
      maxlength="${maxlength}"
      ${inputmode && html`inputmode="${inputmode}"`}
      ${autocomplete && html`autocomplete="${autocomplete}"`}
      ${type === 'email' && html`autocapitalize="off" spellcheck="false"`}
      ${isLocked && html`readonly`}
      ${isRequired && html`required`}
      ${describe(field)}
      dir="auto"
    />`,
  )
}

/** Renders a list to choose one value from. */
export function selectField(field: SelectField): Html {
  const { name, value, options, prompt, isRequired, autocomplete } = field
  return frame(
    field,
    html`<select
      id="${fieldId(name)}"
      name="${name}"
      ${autocomplete && html`autocomplete="${autocomplete}"`}
      ${isRequired && html`required`}
      ${describe(field)}
    >
      ${prompt !== undefined && html`<option value="">${prompt}</option>`}
      ${options.map((option) => html`<option value="${option.value}" ${option.value === value && html`selected`}>${option.label}</option>`)}
    </select>`,
  )
}

function frame({ name, label, error, hint, optional, isRequired }: Field, control: Html): Html {
  const id = fieldId(name)
  return html`<div class="field">
    <label for="${id}">${label}${!isRequired && optional && html` <span class="quiet">${optional}</span>`}</label>
    ${control} ${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`} ${fieldError(name, error)}
  </div>`
}

/** Renders the error of a field under the id that its control refers to; null without one. */
export function fieldError(name: string, error: string | null | undefined): Html | null {
  return error ? html`<span class="error" id="${fieldId(name)}-error">${error}</span>` : null
}

function describe({ name, error, hint }: Field): Html | null {
  const id = fieldId(name)
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  if (!described) return null
  return html`aria-describedby="${described}"${error && html` aria-invalid="true"`}`
}

/** An error of a form. */
export interface FormError {
  /** Name of the field; null for an error of the whole form. */
  field: string | null
  message: string
}

/** Renders all errors of a form as links to their fields. It takes the focus when the page is loaded. */
export function errorSummary(title: string, errors: readonly FormError[]): Html | null {
  if (errors.length === 0) return null
  return html`<div class="notice bad" id="errors" role="alert" tabindex="-1" autofocus>
    <h2>${title}</h2>
    <ul>
      ${errors.map(({ field, message }) => html`<li>${field ? html`<a href="#${fieldId(field)}">${message}</a>` : message}</li>`)}
    </ul>
  </div>`
}
