import type { ComponentProps, ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { confirm } from './confirm.tsx'
import { Dialog } from './dialog.tsx'
import styles from './form.module.css'
import { Row, Stack } from './layout.tsx'
import { Text } from './text.tsx'

/** What is entered in a form, and what was refused of it. */
export type FormState<V extends object> = {
  readonly values: V
  /** What is wrong, by the name of the field. */
  readonly errors: Readonly<Record<string, string | undefined>>
  /** What is wrong that no field shows. */
  readonly problem: string | null
  readonly busy: boolean
  /** Something was entered that has not been submitted. */
  readonly isChanged: boolean
  readonly change: (part: Partial<V>) => void
  readonly submit: () => void
  readonly reset: () => void
  /** For a `TextField`, a `Select` and the like. */
  readonly field: <K extends keyof V & string>(
    name: K,
  ) => { value: V[K]; onChange: (value: V[K]) => void; error: string | undefined }
}

type FormProps = {
  form: Pick<FormState<object>, 'busy' | 'problem' | 'submit'>
  /** The word on its button: “Save”. */
  action: string
  /** Read out as its name, where no heading says it. */
  label?: string
  onCancel?: (() => void) | undefined
  /** The button does something that cannot be undone. */
  destructive?: boolean
  disabled?: boolean
  /** Further buttons. */
  beside?: ReactNode
  /** In a page: its buttons stand below the fields at their left, and do not stick to the bottom. */
  inline?: boolean
  /** Below the buttons, such as what came of it. */
  after?: ReactNode
  children: ReactNode
}

/** A name above choices, a select or several parts; a text field has its own. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string
  hint?: ReactNode
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
      {hint !== undefined && (
        <Text as="p" size="s" tone="dim">
          {hint}
        </Text>
      )}
    </Stack>
  )
}

/** A box to tick, with its words beside it. */
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

/** Fields, what was refused, and the buttons. Enter submits it. */
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
      className={classes(styles['form'], inline && styles['inline'])}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!disabled) form.submit()
      }}
    >
      {children}
      <div className={classes(styles['foot'], !inline && styles['sticky'])}>
        {form.problem !== null && (
          <p className={styles['problem']} role="alert">
            {form.problem}
          </p>
        )}
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

/**
 * A dialog with a form: a press outside leaves it open, and Escape asks before it discards what was
 * entered. Cancel is chosen on purpose, and does not ask.
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
    const leaves =
      !form.isChanged ||
      (await confirm({
        title: 'Discard your changes?',
        detail: 'What you entered is not saved.',
        action: 'Discard',
        destructive: true,
      }))
    if (leaves) onClose()
  }
  return (
    <Dialog
      open
      stays
      onClose={() => void leave()}
      {...{ title, detail, initialFocus }}
      {...(wide !== undefined && { wide })}
    >
      <Form form={form} onCancel={onClose} {...rest} />
    </Dialog>
  )
}
