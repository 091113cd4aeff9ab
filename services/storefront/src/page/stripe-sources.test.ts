import { expect, test } from 'vitest'
import { findStripeSources } from './stripe-sources.ts'

test('allows the hosts that Stripe documents, and of another script its origin only [pages 49]', () => {
  expect(findStripeSources('https://js.stripe.com/endive/stripe.js').sources).toEqual({
    scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
    frames: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
    connections: ['https://api.stripe.com'],
  })
  const own = ['http://127.0.0.1:9']
  expect(findStripeSources('http://127.0.0.1:9/stripe.js').sources).toEqual({ scripts: own, frames: own, connections: own })
})
