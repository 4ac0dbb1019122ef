/** Writes the parts of a workbook other than its rows: cell styles, sheets, names and relations. */
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

/** In this format a question mark is a digit or a space of the same width, which aligns decimal points. */
const amountFormat = '#,##0.00???????'
const momentFormat = 'yyyy-mm-dd hh:mm:ss'

type LookParts = Readonly<{
  font?: number
  fill?: number
  border?: number
  format?: number
  align?: 'right'
}>

const [bold, large, faint] = [1, 2, 3]
const band = 2
const [lineBelow, lineAbove] = [1, 2]
const formats = { count: 3, amount: 164, moment: 165 }

/** A cell style's index in this list is its number in the file. */
const looks = {
  text: {},
  number: {},
  amount: { format: formats.amount },
  right: { align: 'right' },
  moment: { format: formats.moment },
  count: { format: formats.count },
  header: { font: bold, fill: band, border: lineBelow },
  headerRight: { font: bold, fill: band, border: lineBelow, align: 'right' },
  title: { font: large },
  heading: { font: bold },
  label: { font: faint },
  totalText: { font: bold, border: lineAbove },
  totalAmount: { font: bold, border: lineAbove, format: formats.amount, align: 'right' },
  totalCount: { font: bold, border: lineAbove, format: formats.count },
} as const satisfies Record<string, LookParts>

export type Look = keyof typeof looks

/** True if the style stores a decimal as a number for calculations. */
export const isNumeric = (look: Look): boolean => look === 'number' || 'format' in looks[look]

const numberOf = new Map(Object.keys(looks).map((look, index) => [look, index]))

export const styleOf = (look: Look): string =>
  look === 'text' ? '' : ` s="${numberOf.get(look) ?? 0}"`

/** One sheet of the file; `filter` is the range of its table, from the header to the last row. */
export type Page = { readonly name: string; readonly part: number; readonly filter: string | null }

const entities: Readonly<Record<string, string>> = lookupTable({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
})

export const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign).replaceAll('"', '&quot;')

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export function sheetStart(columnWidths: readonly number[], hasHeader: boolean): string {
  const columns = columnWidths.map(
    (width, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const view = hasHeader
    ? `<sheetView workbookViewId="0">${pane}</sheetView>`
    : '<sheetView workbookViewId="0" showGridLines="0"/>'
  // Only the summary is scaled to the width of a page.
  const fit = hasHeader ? '' : '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>'
  return `${declaration}<worksheet xmlns="${main}">${fit}<sheetViews>${view}</sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${columns.join('')}</cols><sheetData>`
}

export function sheetEnd(filter: string | null): string {
  const range = filter === null ? '' : `<autoFilter ref="${filter}"/>`
  return `</sheetData>${range}<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/></worksheet>`
}

export function workbookXml(pages: readonly Page[]): string {
  const sheets = pages.map(
    ({ name, part }) => `<sheet name="${escapeXml(name)}" sheetId="${part}" r:id="rId${part}"/>`,
  )
  const names = pages.flatMap(({ name, filter }, index) => {
    if (filter === null) return []
    const absolute = filter.replace(/([A-Z]+)(\d+)/g, '$$$1$$$2')
    const define = (what: string, range: string, more = '') =>
      `<definedName name="_xlnm.${what}" localSheetId="${index}"${more}>'${name}'!${range}</definedName>`
    return [define('_FilterDatabase', absolute, ' hidden="1"'), define('Print_Titles', '$1:$1')]
  })
  const defined = names.length === 0 ? '' : `<definedNames>${names.join('')}</definedNames>`
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.join('')}</sheets>${defined}</workbook>`
}

export function stylesXml(): string {
  const font = (style: string, size = 11, color = '') =>
    `<font>${style}<sz val="${size}"/>${color}<name val="Calibri"/><family val="2"/></font>`
  const dim = '<color rgb="FF5C6672"/>'
  const fonts = [font(''), font('<b/>'), font('<b/>', 16), font('', 11, dim)]
  const border = (top: string, bottom: string) =>
    `<border><left/><right/>${top === '' ? '<top/>' : top}${bottom === '' ? '<bottom/>' : bottom}<diagonal/></border>`
  const line = (side: string) => `<${side} style="thin"><color rgb="FF9AA4B0"/></${side}>`
  const borders = [border('', ''), border('', line('bottom')), border(line('top'), '')]
  const fills = [
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE4EAF1"/></patternFill></fill>',
  ]
  const cells = Object.values<LookParts>(looks).map(
    ({ font: fontId = 0, fill = 0, border: borderId = 0, format = 0, align }) => {
      const used = `numFmtId="${format}" fontId="${fontId}" fillId="${fill}" borderId="${borderId}" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1"`
      return align === undefined
        ? `<xf ${used}/>`
        : `<xf ${used} applyAlignment="1"><alignment horizontal="${align}"/></xf>`
    },
  )
  const list = (name: string, items: readonly string[]) =>
    `<${name} count="${items.length}">${items.join('')}</${name}>`
  const custom = [
    `<numFmt numFmtId="${formats.amount}" formatCode="${amountFormat}"/>`,
    `<numFmt numFmtId="${formats.moment}" formatCode="${momentFormat}"/>`,
  ]
  const base = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
  const parts = [
    ...[list('numFmts', custom), list('fonts', fonts), list('fills', fills)],
    ...[list('borders', borders), list('cellStyleXfs', [base]), list('cellXfs', cells)],
    list('cellStyles', ['<cellStyle name="Normal" xfId="0" builtinId="0"/>']),
  ]
  return `${declaration}<styleSheet xmlns="${main}">${parts.join('')}</styleSheet>`
}

export const formatRelation = (id: number, type: string, target: string): string =>
  `<Relationship Id="rId${id}" Type="${office}/${type}" Target="${target}"/>`

export const relationsXml = (relations: readonly string[]): string =>
  `${declaration}<Relationships xmlns="${packaged}/relationships">${relations.join('')}</Relationships>`

export function contentTypesXml(sheets: number): string {
  const override = (path: string, type: string) =>
    `<Override PartName="/xl/${path}.xml" ContentType="${spreadsheet}.${type}+xml"/>`
  const parts = [
    override('workbook', 'sheet.main'),
    override('styles', 'styles'),
    ...Array.from({ length: sheets }, (_, index) =>
      override(`worksheets/sheet${index + 1}`, 'worksheet'),
    ),
  ]
  const rels = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`
  return `${declaration}<Types xmlns="${packaged}/content-types">${rels}<Default Extension="xml" ContentType="application/xml"/>${parts.join('')}</Types>`
}
