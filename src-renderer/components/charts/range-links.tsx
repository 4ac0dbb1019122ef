import { PageViews } from '../../ui/page.tsx'

/** Shows the ranges of a chart as links, because the range is part of the address. */
export function RangeLinks<Name extends string>({
  ranges,
  current,
  hrefOf,
}: {
  ranges: readonly { readonly name: Name; readonly label: string }[]
  current: Name
  hrefOf: (name: Name) => string
}) {
  const views = ranges.map(({ name, label }) => ({
    href: hrefOf(name),
    label,
    current: name === current ? ('true' as const) : undefined,
  }))
  return <PageViews label="Time range" views={views} />
}
