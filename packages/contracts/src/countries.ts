import { z } from 'zod'

/**
 * Countries and territories of ISO 3166-1, alpha-2, and `XK`: Kosovo has no code there, and postal services and the European Union use this
 * user-assigned one. All operations, pages and documents use this list.
 */
export const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL
    CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU
    GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC
    MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT
    PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA
    UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`.split(/\s+/),
)

const europeanUnion = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/** Whether a country is a member state of the European Union. */
export function isInEuropeanUnion(country: string): boolean {
  return europeanUnion.has(country)
}

/** The code of a country as sent by a client, in upper case. */
export const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, 'Must be an ISO 3166-1 alpha-2 code.')
  .refine((code) => countries.has(code), 'Must be an ISO 3166-1 alpha-2 code.')

const names: Readonly<Record<string, string>> = {
  US: `AL Alabama|AK Alaska|AS American Samoa|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|
    DC District of Columbia|FL Florida|GA Georgia|GU Guam|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|
    LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|
    NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|MP Northern Mariana Islands|OH Ohio|
    OK Oklahoma|OR Oregon|PA Pennsylvania|PR Puerto Rico|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|
    UM United States Minor Outlying Islands|UT Utah|VT Vermont|VI U.S. Virgin Islands|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|
    WY Wyoming`,
  CA: `AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador|NT Northwest Territories|NS Nova Scotia|
    NU Nunavut|ON Ontario|PE Prince Edward Island|QC Quebec|SK Saskatchewan|YT Yukon`,
}

/** Names of subdivisions by ISO 3166-2 code, for each country whose subdivisions are stored as codes: their taxes differ. */
const subdivisions: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(names).map(([country, list]) => [
    country,
    new Map(
      list.split('|').map((entry) => {
        const [code = '', ...name] = entry.trim().split(' ')
        return [`${country}-${code}`, name.join(' ')] as const
      }),
    ),
  ]),
)

/** Returns the names of the subdivisions of a country by ISO 3166-2 code; null if they are not stored as codes. */
export function findSubdivisions(country: string): ReadonlyMap<string, string> | null {
  return subdivisions.get(country) ?? null
}
