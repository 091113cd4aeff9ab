import { improveCheckout } from './improve-checkout.ts'
import { reportToFrame } from './report-to-frame.ts'

const form = document.querySelector<HTMLFormElement>('#checkout')
if (form) improveCheckout(form)
reportToFrame()
