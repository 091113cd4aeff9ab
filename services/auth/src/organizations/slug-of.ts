/** A slug made of a name: lower-case letters and digits, single hyphens, 3 to 40 characters; padded where the name gives too little. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '')
  return slug.length >= 3 ? slug : `${slug}${slug && '-'}organization`
}
