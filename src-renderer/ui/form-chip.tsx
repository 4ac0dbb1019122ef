import { Popover } from '@base-ui/react/popover'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import surface from './surface.module.css'
import styles from './button.module.css'
import { classes } from './classes.ts'
import { formatDateField, parseDateField } from './format.ts'
import { Row, Stack, Text } from './layout.tsx'
import { TextField } from './form.tsx'

/** A chip that opens a small form. */
export function FormChip({
  label,
  isOn,
  title,
  children,
}: {
  label: string
  /** True if the form has a value and filters the list. */
  isOn: boolean
  title: string
  children: (close: () => void) => ReactNode
}) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className={classes(surface['hover'], styles['chip'], styles['large'], isOn && styles['on'])}
        title={title}
      >
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start">
          <Popover.Popup
            className={classes(surface['raised'], styles['chipPopup'])}
            aria-label={title}
          >
            {children(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

type Closing = <A extends unknown[]>(act: (...values: A) => void) => (...values: A) => void

export type Filter = {
  readonly title: string
  /** The value that filters the list; null for none. */
  readonly value: string | null
  /** `closing` returns a function that closes the form before it runs this one. */
  readonly form: (closing: Closing) => ReactNode
}

/** A filter that is one of a few choices. */
export function choiceFilter<T extends string>({
  title,
  value,
  chosen,
  ...list
}: Pick<Filter, 'title' | 'value'> & { chosen: T } & Pick<
    Parameters<typeof CheckList<T>>[0],
    'choices' | 'onChange'
  >): Filter {
  const isChecked = (each: T) => each === chosen
  return {
    title,
    value,
    form: () => <CheckList legend={title} type="radio" isChecked={isChecked} {...list} />,
  }
}

const closingBy =
  (close: () => void): Closing =>
  (act) =>
  (...values) => {
    close()
    act(...values)
  }

/** One menu of all filters of a list, and a chip for each that is set. */
export function FilterMenu({ filters }: { filters: readonly Filter[] }) {
  return (
    <Row wrap gap="s" role="group" aria-label="Filters">
      <FormChip label="Filter ▾" isOn={false} title="Filter">
        {(close) => <FilterChoice filters={filters} onDone={close} />}
      </FormChip>
      {filters.map(
        ({ title, value, form }) =>
          value !== null && (
            <FormChip key={title} label={value} isOn title={title}>
              {(close) => form(closingBy(close))}
            </FormChip>
          ),
      )}
    </Row>
  )
}

/** The names of the filters; the form of the chosen one takes their place. */
function FilterChoice({ filters, onDone }: { filters: readonly Filter[]; onDone: () => void }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const filter = filters.find(({ title }) => title === chosen)
  return (
    <Stack gap="xs" tabIndex={-1}>
      {filter?.form(closingBy(onDone)) ??
        filters.map(({ title }) => (
          <div key={title}>
            <Button kind="quiet" onClick={() => setChosen(title)}>
              {title}
            </Button>
          </div>
        ))}
    </Stack>
  )
}

/** The form in the popup of a `FormChip`. */
export function FilterForm({
  onApply,
  clear,
  children,
}: {
  onApply: () => void
  /** Removes the filter; null if there is none. */
  clear: { readonly label: string; readonly run: () => void } | null
  children: ReactNode
}) {
  return (
    <Stack
      as="form"
      onSubmit={(event) => {
        event.preventDefault()
        onApply()
      }}
    >
      {children}
      <Row justify="end">
        {clear !== null && <Button onClick={clear.run}>{clear.label}</Button>}
        <Button kind="main" type="submit">
          Apply
        </Button>
      </Row>
    </Stack>
  )
}

/** Days in milliseconds: the first moment of the first day, and the last moment of the last day. */
export type DaySpan = { readonly from: number | null; readonly to: number | null }

/** A `FilterForm` with the first and the last day of a span; either may be empty. */
export function DaySpanForm({
  from,
  to,
  required = false,
  clear = null,
  onDone,
  children,
}: DaySpan & {
  /** True if both days must be entered. */
  required?: boolean
  clear?: { readonly label: string; readonly run: () => void } | null
  onDone: (span: DaySpan) => void
  /** Content above the days. */
  children?: ReactNode
}) {
  const [first, setFirst] = useState(formatDateField(from))
  const [last, setLast] = useState(formatDateField(to))
  const isReversed = first !== '' && last !== '' && first > last
  return (
    <FilterForm
      onApply={() => {
        const span = { from: parseDateField(first, 'begin'), to: parseDateField(last, 'end') }
        const isMissing = required && (span.from === null || span.to === null)
        if (!isReversed && !isMissing) onDone(span)
      }}
      clear={clear}
    >
      {children}
      <TextField
        label="First day"
        type="date"
        required={required}
        value={first}
        onChange={setFirst}
      />
      <TextField
        label="Last day"
        type="date"
        required={required}
        value={last}
        onChange={setLast}
        error={isReversed ? 'The last day is before the first day.' : undefined}
      />
    </FilterForm>
  )
}

/** A list of choices in the popup of a `FormChip`: `radio` to choose one, `checkbox` to choose any. */
export function CheckList<T extends string>({
  legend,
  type,
  choices,
  isChecked,
  onChange,
}: {
  legend: string
  type: 'radio' | 'checkbox'
  choices: readonly {
    readonly value: T
    readonly label: ReactNode
    /** The number at the end of the line. */
    readonly count?: string
    readonly title?: string | undefined
  }[]
  isChecked: (value: T) => boolean
  onChange: (value: T, checked: boolean) => void
}) {
  return (
    <Stack as="fieldset" gap="s">
      <Text as="legend" size="s" tone="dim">
        {legend}
      </Text>
      {choices.map(({ value, label, count, title }) => (
        <Row key={value} as="label" title={title}>
          <input
            type={type}
            name={legend}
            checked={isChecked(value)}
            onChange={({ target }) => onChange(value, target.checked)}
          />
          <Text size="s">{label}</Text>
          {count !== undefined && (
            <Row last>
              <Text size="s" tone="faint" number>
                {count}
              </Text>
            </Row>
          )}
        </Row>
      ))}
    </Stack>
  )
}
