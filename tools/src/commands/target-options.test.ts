import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { expect, test } from 'vitest'
import { describeRejection } from './target-options.ts'

const reject = (...loc: (string | number)[]) => RequestValidationError.field(loc, 'Invalid')

test.each([
  [['user_id'], { organization: 'x', owner: 'x' }, '--owner'],
  [['user_id'], { organization: 'x', account: 'x' }, '--account'],
  [['organization_id'], { organization: 'x', owner: 'x' }, '--organization'],
  [['organization_ids', 0], { owner: 'x', only: 'x' }, '--only'],
  [['ids', 0], { service: 'x', id: ['x'] }, '--id'],
  [['redirect_uris', 1], { 'redirect-uri': ['x'] }, '--redirect-uri'],
  [['post_logout_redirect_uris', 0], { 'post-logout-redirect-uri': ['x'] }, '--post-logout-redirect-uri'],
  [['expires_in'], { 'expires-in': 'x' }, '--expires-in'],
  [['scopes', 2], { scopes: 'x' }, '--scopes'],
  [['slug'], { name: 'x', slug: 'x' }, '--slug'],
])('a rejected field %j of a command with %j is %s', (loc, options, option) => {
  expect(describeRejection(reject(...loc), options)).toBe(`${option}: Invalid`)
})

test('keeps a field that no option gave, and the detail of another rejection', () => {
  expect(describeRejection(reject('comment', 'text'), { owner: 'x' })).toBe('comment.text: Invalid')
  expect(describeRejection(new ResourceNotFound('No such account.'), { owner: 'x' })).toBe('No such account.')
})
