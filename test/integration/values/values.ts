import { runInNewContext } from 'node:vm'

/** Whole numbers, and the text that is stored for each in a text field. */
export const wholeNumbers: [given: number | bigint, text: string][] = [
  [4711, '4711'],
  [-0, '0'],
  [Number.MIN_SAFE_INTEGER, '-9007199254740991'],
  [2n ** 70n, '1180591620717411303424'],
]

/** Values that are neither text nor a whole number, by the description for the test title. */
export const neitherTextNorWhole: Record<string, unknown> = {
  'a number beyond 2^53 - 1': 2 ** 53,
  'a number with an exponent': 1e21,
  'a fraction': 1.5,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  true: true,
  false: false,
  'an object': { toString: () => 'victim' },
  'an object without a prototype': Object.create(null),
  'an empty array': [],
  'an array of text': ['victim'],
  'a function': () => 'victim',
  'a symbol': Symbol('victim'),
  'a String object': new String('victim'),
  'a Number object': new Number(4711),
  'a date': new Date(4711),
  bytes: Buffer.from('victim'),
  'a proxy of text': new Proxy(new String('victim'), {}),
}

/** Values that a number field accepts, and the number that is stored. */
export const numbers: [given: unknown, stored: number][] = [
  [0, 0],
  [-0, 0],
  [3600, 3600],
  [-5, -5],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  [3600n, 3600],
  [-5n, -5],
  [BigInt(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ['3600', 3600],
  ['0', 0],
  ['-5', -5],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
]

/** Values that a number field rejects. */
export const notNumbers: Record<string, unknown> = {
  'a fraction': 1.5,
  'a fraction that is nearly whole': 3599.9999999,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'a number beyond 2^53 - 1': 2 ** 53,
  'a number below -(2^53 - 1)': -(2 ** 53),
  'a bigint beyond 2^53 - 1': 2n ** 53n,
  'a bigint of 70 bits': 2n ** 70n,
  'text of a number beyond 2^53 - 1': '9007199254740993',
  'text of a fraction': '1.5',
  'text of a whole number with a decimal point': '12.0',
  'empty text': '',
  'a space': ' ',
  'text with a space before': ' 12',
  'text with a space after': '12 ',
  'text with a line break': '12\n',
  'text with a plus sign': '+5',
  'text with leading zeros': '007',
  'text of minus zero': '-0',
  'text with an exponent': '1e3',
  'hexadecimal text': '0x10',
  'text with a separator': '1_000',
  'digits of another script': '\u0661\u0662',
  'a word': 'soon',
  NULL: 'NULL',
  true: true,
  false: false,
  'an empty array': [],
  'an array of one number': [5],
  'an object': { valueOf: () => 5 },
  'an object without a prototype': Object.create(null),
  'a Number object': new Number(5),
  'a date': new Date(5),
  'a function': () => 5,
  'a symbol': Symbol('5'),
  bytes: Buffer.from('5'),
}

/** Values that a boolean field rejects. */
export const notBooleans: Record<string, unknown> = {
  '0': 0,
  '1': 1,
  '0n': 0n,
  '1n': 1n,
  NaN: Number.NaN,
  'the text true': 'true',
  'the text false': 'false',
  'the text t': 't',
  'the text 1': '1',
  'empty text': '',
  'an empty array': [],
  'an array of true': [true],
  'an object': {},
  'an object without a prototype': Object.create(null),
  'a Boolean object': new Boolean(false),
  'a function': () => true,
  'a symbol': Symbol('true'),
  'a date': new Date(0),
  bytes: Buffer.from([1]),
}

/** The instant of each of the following dates. */
export const instant = '2030-02-28T23:59:59.987Z'

class Subclass extends Date {}

/** Values that a date field accepts. */
export const dates: Record<string, () => unknown> = {
  'a date': () => new Date(instant),
  'a date of another realm': () => runInNewContext(`new Date('${instant}')`),
  'a date of a subclass': () => new Subclass(instant),
  'a frozen date': () => Object.freeze(new Date(instant)),
  'the JSON of a date': () => instant,
}

/** Values that a date field rejects. */
export const notDates: Record<string, unknown> = {
  'an invalid date': new Date(Number.NaN),
  'an invalid date of another realm': runInNewContext('new Date(NaN)'),
  'a word': 'tomorrow',
  'empty text': '',
  'text without a time': '2030-01-01',
  'text without a zone': '2030-01-01T12:00:00.000',
  'text without milliseconds': '2030-01-01T12:00:00Z',
  'text with an offset': '2030-01-01T12:00:00.000+02:00',
  'text with a space': '2030-01-01 12:00:00.000Z',
  'text of a day that no month has': '2030-02-30T12:00:00.000Z',
  'text of an hour that no day has': '2030-01-01T24:00:00.000Z',
  'text in the format of HTTP and mail': 'Tue, 01 Jan 2030 12:00:00 GMT',
  'milliseconds since 1970': 1_893_499_200_000,
  'seconds since 1970': 1_893_499_200n,
  'text of a number': '1893499200000',
  true: true,
  'an object that has the time': { getTime: () => 0, toISOString: () => instant },
  'an object that inherits from dates': Object.create(Date.prototype),
  'a proxy of a date': new Proxy(new Date(0), {}),
  'an object without a prototype': Object.create(null),
  'an array of a date': [new Date(0)],
  'a function': () => new Date(0),
  'a symbol': Symbol('now'),
}
