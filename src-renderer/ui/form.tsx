import { Select as BaseSelect } from '@base-ui/react/select'
import { Switch as BaseSwitch } from '@base-ui/react/switch'
import {
  type ComponentProps,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
  type ComponentPropsWithRef,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { confirm, Dialog } from './dialog.tsx'
import { Icon } from './icons.tsx'
import { Hint, Problem, Row, Stack, Text, textClasses } from './layout.tsx'
import surface from './surface.module.css'
import buttons from './button.module.css'
import styles from './form.module.css'

/** The values entered in a form, and their errors. */
export type FormState<V extends object> = {
  readonly values: V
  /** The errors by name of the field. */
  readonly errors: Readonly<Record<string, string | undefined>>
  /** The problem that no field shows. */
  readonly problem: string | null
  readonly busy: boolean
  /** True if the user has entered something that was not submitted. */
  readonly isChanged: boolean
  readonly change: (part: Partial<V>) => void
  readonly submit: () => void
  readonly reset: () => void
  /** Returns the properties of a `TextField`, a `Select` and similar components. */
  readonly field: <K extends keyof V & string>(
    name: K,
  ) => { value: V[K]; onChange: (value: V[K]) => void; error: string | undefined }
}

type FormProps = {
  form: Pick<FormState<object>, 'busy' | 'problem' | 'submit'>
  /** The text of the button, such as “Save”. */
  action: string
  /** The name for screen readers, if there is no heading. */
  label?: string
  onCancel?: (() => void) | undefined
  /** True if the button's action cannot be undone. */
  destructive?: boolean
  disabled?: boolean
  /** Further buttons. */
  beside?: ReactNode
  /** True for a form in a page: its buttons are below the fields on the left, and not fixed at the bottom. */
  inline?: boolean
  /** Content below the buttons, such as the result. */
  after?: ReactNode
  children: ReactNode
}

/** A name above choices, a select or several parts; a text field has its own name. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string
  hint?: ReactNode
  error?: string | undefined
  children: ReactNode
}) {
  return (
    <Stack gap="xs">
      <Text size="s" strong>
        {label}
      </Text>
      <Row wrap gap="s">
        {children}
      </Row>
      <Problem>{error}</Problem>
      {hint !== undefined && <Hint>{hint}</Hint>}
    </Stack>
  )
}

/** A checkbox with its label beside it. */
export function Checkbox({
  label,
  checked,
  onChange,
}: {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <Row as="label">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{label}</span>
    </Row>
  )
}

/** Shows fields, errors and buttons. Enter submits the form, and the first invalid field gets the focus. */
export function Form({
  form,
  action,
  label,
  onCancel,
  destructive = false,
  disabled = false,
  beside,
  inline = false,
  after,
  children,
}: FormProps) {
  const element = useRef<HTMLFormElement>(null)
  const wasBusy = useRef(false)
  useEffect(() => {
    const refused = element.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    if (wasBusy.current && !form.busy) refused?.focus()
    wasBusy.current = form.busy
  }, [form.busy])
  const main = destructive ? 'dangerMain' : 'main'
  const submit = (
    <Button
      type="submit"
      kind={inline && disabled ? 'plain' : main}
      busy={form.busy}
      aria-disabled={disabled}
    >
      {action}
    </Button>
  )
  return (
    <form
      ref={element}
      className={classes(styles['form'], inline && styles['inline'])}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // For React a dialog that was opened from a form is inside the form, although it is not in
        // the document.
        event.stopPropagation()
        if (!disabled) form.submit()
      }}
    >
      {children}
      <div className={classes(styles['foot'], !inline && styles['sticky'])}>
        <Problem>{form.problem}</Problem>
        <Row justify={inline ? undefined : 'end'} wrap>
          {inline && submit}
          {beside}
          {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
          {!inline && submit}
        </Row>
        {after}
      </div>
    </form>
  )
}

/** Asks the user before entered values are discarded. */
export const confirmDiscard = (): Promise<boolean> =>
  confirm({
    title: 'Discard your changes?',
    detail: 'Your changes have not been saved.',
    action: 'Discard',
    destructive: true,
  })

/**
 * A dialog with a form: a press outside does not close it, and Escape asks the user before it
 * discards entered values. Cancel is deliberate and discards them at once.
 */
export function FormDialog({
  title,
  detail,
  wide,
  initialFocus,
  onClose,
  form,
  ...rest
}: Omit<FormProps, 'onCancel' | 'form' | 'inline'> & {
  form: FormProps['form'] & Pick<FormState<object>, 'isChanged'>
} & Pick<ComponentProps<typeof Dialog>, 'title' | 'detail' | 'wide' | 'initialFocus' | 'onClose'>) {
  const leave = async () => {
    if (!form.isChanged || (await confirmDiscard())) onClose()
  }
  return (
    <Dialog
      open
      stays
      onClose={() => void leave()}
      title={title}
      detail={detail}
      initialFocus={initialFocus}
      {...(wide !== undefined && { wide })}
    >
      <Form form={form} onCancel={onClose} {...rest} />
    </Dialog>
  )
}

type Common = {
  label: string
  /** True to show the name only to screen readers, because its place makes it clear. */
  hideLabel?: boolean
  hint?: ReactNode
  /** The field's error as a sentence. */
  error?: string | undefined
  mono?: boolean
  /** True for a few characters, such as a number. */
  short?: boolean
  value: string
  onChange: (value: string) => void
}

type Native<T extends 'input' | 'textarea'> = Omit<
  ComponentPropsWithRef<T>,
  'onChange' | 'value' | 'className' | 'id'
>

export function TextField({
  label,
  hideLabel = false,
  hint,
  error,
  mono = false,
  short = false,
  suffix,
  value,
  onChange,
  onFocus,
  ...native
}: Common & { suffix?: ReactNode } & Native<'input'>) {
  const id = useId()
  const prefilled = useSelectPrefilled(value)
  return (
    <Around id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <div className={classes(styles['inputRow'], short && styles['short'])}>
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          inputMode={short ? 'numeric' : undefined}
          {...native}
          {...described(id, hint, error)}
          className={classes(styles['input'], textClasses({ mono }))}
          value={value}
          onFocus={(event) => {
            prefilled.onFocus(event)
            onFocus?.(event)
          }}
          onMouseUp={prefilled.onMouseUp}
          onChange={(event) => {
            prefilled.onChange()
            onChange(event.target.value)
          }}
        />
        {suffix !== undefined && <span className={styles['suffix']}>{suffix}</span>}
      </div>
    </Around>
  )
}

/**
 * Selects a prefilled value when the field gets the focus, or when the value arrives later, so that
 * typing replaces it. A value that the user has typed is not selected.
 */
function useSelectPrefilled(value: unknown) {
  const isTyped = useRef(false)
  const hasJustFocused = useRef(false)
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (!isTyped.current && input.current === document.activeElement) input.current?.select()
  }, [value])
  return {
    onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>) => {
      input.current = currentTarget
      hasJustFocused.current = true
      if (!isTyped.current) currentTarget.select()
    },
    // Without this, the press that focused the field would set the caret and remove the selection.
    onMouseUp: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
      const isCaret = currentTarget.selectionStart === currentTarget.selectionEnd
      if (hasJustFocused.current && !isTyped.current && isCaret) currentTarget.select()
      hasJustFocused.current = false
    },
    onChange: () => {
      isTyped.current = true
    },
  }
}

export function TextArea({
  label,
  hideLabel = false,
  hint,
  error,
  mono = false,
  value,
  onChange,
  ...native
}: Common & Native<'textarea'>) {
  const id = useId()
  return (
    <Around id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <textarea
        id={id}
        {...native}
        {...described(id, hint, error)}
        className={classes(styles['input'], styles['area'], textClasses({ mono }))}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Around>
  )
}

function Around({
  id,
  label,
  hideLabel,
  hint,
  error,
  children,
}: {
  id: string
  label: string
  hideLabel: boolean
  hint: ReactNode
  error: string | undefined
  children: ReactNode
}) {
  return (
    <Stack gap="xs">
      <Text as="label" htmlFor={id} {...labelLook(hideLabel)}>
        {label}
      </Text>
      {children}
      <Problem id={`${id}-error`}>{error}</Problem>
      {hint !== undefined && <Hint id={`${id}-hint`}>{hint}</Hint>}
    </Stack>
  )
}

const labelLook = (isHidden: boolean) =>
  isHidden ? { hidden: true } : ({ size: 's', strong: true } as const)

function described(id: string, hint: ReactNode, error: string | undefined) {
  const by = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`]
  return {
    'aria-invalid': error !== undefined,
    'aria-describedby': by.filter(Boolean).join(' ') || undefined,
  }
}

/** A choice of many options, below its name. */
export function SelectField<T extends string>({
  hint,
  error,
  ...select
}: Parameters<typeof Select<T>>[0] & { hint?: ReactNode; error?: string | undefined }) {
  return (
    <Field label={select.label} hint={hint} error={error}>
      <Select {...select} />
    </Field>
  )
}

/** A choice of a few options. `label` is its name for screen readers. */
export function Select<T extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: string }[]
}) {
  return (
    <BaseSelect.Root
      items={options}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <BaseSelect.Trigger
        className={classes(surface['hover'], buttons['selectTrigger'])}
        aria-label={label}
      >
        <BaseSelect.Value />
        <BaseSelect.Icon>
          <Icon name="down" size={12} />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false}>
          <BaseSelect.Popup className={classes(surface['raised'], buttons['menu'])}>
            <BaseSelect.List>
              {options.map((option) => (
                <BaseSelect.Item
                  key={option.value}
                  value={option.value}
                  className={classes(surface['hover'], buttons['item'])}
                >
                  <span className={buttons['check']}>
                    <BaseSelect.ItemIndicator>
                      <Icon name="check" size={13} />
                    </BaseSelect.ItemIndicator>
                  </span>
                  <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                </BaseSelect.Item>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  )
}

export function Switch({
  label,
  hideLabel = false,
  hint,
  checked,
  onChange,
  children,
}: {
  label: string
  /** True to show the name only to screen readers, because its place makes it clear. */
  hideLabel?: boolean
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** Further settings while the switch is on, below it and aligned with its label. */
  children?: ReactNode
}) {
  const id = useId()
  return (
    <div className={styles['switchRow']}>
      <BaseSwitch.Root
        className={styles['switch']}
        checked={checked}
        onCheckedChange={onChange}
        aria-labelledby={`${id}-label`}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      >
        <BaseSwitch.Thumb className={styles['thumb']} />
      </BaseSwitch.Root>
      <Text id={`${id}-label`} {...labelLook(hideLabel)} onClick={() => onChange(!checked)}>
        {label}
      </Text>
      {hint !== undefined && (
        <div className={styles['under']}>
          <Hint id={`${id}-hint`}>{hint}</Hint>
        </div>
      )}
      {children !== undefined && checked && (
        <div className={classes(styles['under'], styles['more'])}>{children}</div>
      )}
    </div>
  )
}

export type RadioOption<T extends string> = {
  readonly value: T
  readonly label: string
  /** A sentence about the meaning of the option. */
  readonly why?: string
}

/** A list of a few options, each with its meaning. */
export function RadioList<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly RadioOption<T>[]
  onChange: (value: T) => void
}) {
  const id = useId()
  return (
    <fieldset className={styles['radioList']}>
      <legend className={styles['legend']}>{label}</legend>
      {options.map((option) => (
        <div key={option.value} className={styles['option']}>
          <input
            type="radio"
            id={`${id}-${option.value}`}
            name={id}
            checked={option.value === value}
            aria-describedby={option.why === undefined ? undefined : `${id}-${option.value}-why`}
            onChange={() => onChange(option.value)}
          />
          <label htmlFor={`${id}-${option.value}`}>{option.label}</label>
          {option.why !== undefined && <p id={`${id}-${option.value}-why`}>{option.why}</p>}
        </div>
      ))}
    </fieldset>
  )
}

/** A search field; Escape clears it, and a second Escape leaves it. */
export function SearchInput({
  label,
  value,
  boxed = false,
  onType,
  onClear,
  onEnter,
  ...rest
}: {
  label: string
  value: string
  boxed?: boolean
  onType: (text: string) => void
  onClear: () => void
  onEnter?: () => void
} & Omit<ComponentProps<'input'>, 'onChange' | 'onKeyDown' | 'type' | 'value' | 'className'>) {
  return (
    <input
      className={classes(styles['search'], boxed && styles['searchBoxed'])}
      type="search"
      aria-label={label}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onType(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter?.()
        if (event.key !== 'Escape') return
        event.stopPropagation()
        if (value === '') event.currentTarget.blur()
        else onClear()
      }}
      {...rest}
    />
  )
}
