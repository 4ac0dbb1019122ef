/** The building blocks of the settings. Each setting is saved as soon as it is changed. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { changeSettings } from '../app/app-settings.ts'
import { toAppError } from '../app/bridge.ts'
import { settingsTopics } from '../app/features.tsx'
import { readFieldErrors, parseInteger } from '../app/use-form.ts'
import { Button } from '../ui/button.tsx'
import type { useOpener } from '../ui/dialog.tsx'
import { RadioList, Switch, TextField, SelectField } from '../ui/form.tsx'
import { Problem, Section, Stack, Text, Small } from '../ui/layout.tsx'
import { announce, showToast } from '../ui/toast.tsx'

export function SettingsSection({
  id,
  detail,
  children,
}: {
  /** The id of the topic. */
  id: string
  detail?: ReactNode
  children: ReactNode
}) {
  const title = settingsTopics().find((topic) => topic.id === id)?.title ?? id
  return (
    <Section id={`settings-${id}`} title={title} detail={detail}>
      <Stack gap="l">{children}</Stack>
    </Section>
  )
}

/** The buttons of an entry that can be edited in place and removed. */
export function EntryButtons({
  name,
  editor: { isOpen, setOpen, button },
  onRemove,
}: {
  name: string
  editor: ReturnType<typeof useOpener>
  onRemove: () => void
}) {
  return (
    <>
      <Button
        ref={button}
        aria-label={`Edit ${name}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Edit
      </Button>
      <Button kind="quiet" icon="trash" aria-label={`Remove ${name}…`} onClick={onRemove}>
        Remove…
      </Button>
    </>
  )
}

/** Saves one setting of a group at a time. */
export function saverOf<G extends keyof Settings>(group: G) {
  return <K extends keyof Settings[G]>(name: K, value: Settings[G][K]) =>
    changeSettings({ [group]: { [name]: value } })
}

/** Returns the parsed value of a field. @throws AppError with this message if it is null */
export function valid<T>(value: T | null, message: string): T {
  if (value === null) throw new AppError(bridgeCodes.invalidInput, message)
  return value
}

/** Saves a setting. Resolves with false if the user decides against it. */
type Save<T> = (value: T) => Promise<unknown>

/** Returns the sentence of an error, without the path of the setting that a form would need. */
function describe(error: unknown): string {
  const known = toAppError(error)
  return Object.values(readFieldErrors(known) ?? {})[0] ?? known.message
}

/**
 * Returns the hint of a setting, after a sentence about the effective value if it differs from the
 * stored one.
 */
function withInForce(hint: ReactNode, inForce: string | null | undefined): ReactNode {
  if (!inForce) return hint
  return (
    <>
      <Text tone="warn">{inForce}</Text> {hint}
    </>
  )
}

const savedShownMs = 3000

/**
 * Returns the text of a field until it is saved. Text that is not saved when the user leaves the
 * page is saved then, or a toast quotes it.
 */
function useDraft(label: string, value: string, save: Save<string>) {
  const [draft, setDraft] = useState<string | null>(null)
  const [error, setError] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const isMounted = useRef(true)
  /** The text that is being saved. */
  const saving = useRef<string | null>(null)

  function discard() {
    setDraft(null)
    setError(undefined)
  }

  async function commit(text: string): Promise<void> {
    if (saving.current === text) return
    if (text.trim() === value.trim()) {
      discard()
      return
    }
    saving.current = text
    try {
      const isDone = (await save(text)) !== false
      setDraft((now) => (now === text ? null : now))
      setError(undefined)
      setSaved(isDone)
      if (isDone) announce(`${label}: saved`)
    } catch (failure) {
      const message = describe(failure)
      setError(message)
      if (isMounted.current) return
      showToast({ title: `${label}: “${text}” was not saved`, detail: message, tone: 'bad' })
    } finally {
      saving.current = null
    }
  }

  const leave = useRef<() => void>(null)
  useEffect(() => {
    leave.current = () => {
      if (draft !== null) void commit(draft)
    }
  })
  useEffect(() => {
    isMounted.current = true
    const flush = () => leave.current?.()
    // Closing a tab or window causes neither a blur nor an unmount.
    window.addEventListener('pagehide', flush)
    return () => {
      window.removeEventListener('pagehide', flush)
      isMounted.current = false
      flush()
    }
  }, [])
  useEffect(() => {
    if (!isSaved) return
    const timer = setTimeout(() => setSaved(false), savedShownMs)
    return () => clearTimeout(timer)
  }, [isSaved])
  const type = (text: string) => {
    setDraft(text)
    setError(undefined)
    setSaved(false)
  }
  return { draft, error, isSaved, type, commit, discard }
}

/**
 * A text or number that is saved when the field loses the focus or on Enter. Escape restores the
 * previous value.
 */
export function SavedText({
  label,
  value,
  save,
  suffix,
  hint,
  inForce = null,
  ...native
}: {
  label: string
  /** The stored value as the user would enter it. */
  value: string
  save: Save<string>
  suffix?: string
  hint?: ReactNode
  /** A sentence about the effective value if it differs from the stored one. */
  inForce?: string | null | undefined
} & Pick<
  Parameters<typeof TextField>[0],
  'hideLabel' | 'mono' | 'short' | 'placeholder' | 'type' | 'inputMode' | 'maxLength'
>) {
  const { draft, error, isSaved, type, commit, discard } = useDraft(label, value, save)
  /** The value when the field got the focus, which Escape restores. */
  const before = useRef(value)
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void commit(draft ?? value)
    if (event.key !== 'Escape' || (draft === null && value === before.current)) return
    event.stopPropagation()
    if (draft === null) void commit(before.current)
    else discard()
    announce(`${label}: change undone`)
  }

  return (
    <TextField
      {...native}
      label={label}
      value={draft ?? value}
      error={error}
      hint={withInForce(hint, inForce)}
      suffix={isSaved ? <Text tone="ok">Saved</Text> : suffix}
      onChange={type}
      onFocus={() => {
        before.current = value
      }}
      onBlur={() => draft !== null && void commit(draft)}
      onKeyDown={press}
    />
  )
}

/** A field for a whole number. */
export function SavedNumber({
  value,
  save,
  ...field
}: Omit<Parameters<typeof SavedText>[0], 'value' | 'save' | 'short'> & {
  value: number
  save: Save<number>
}) {
  return (
    <SavedText
      {...field}
      short
      value={String(value)}
      save={(text) => save(valid(parseInteger(text), 'Enter a whole number.'))}
    />
  )
}

/** Saves a choice at once and keeps its error; the choice is shown before it is saved. */
function useSavedChoice<T>(label: string, value: T, save: Save<T>) {
  const [chosen, setChosen] = useState<{ readonly value: T } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const choose = async (next: T) => {
    setChosen({ value: next })
    setError(null)
    try {
      await save(next)
      announce(`${label}: saved`)
    } catch (failure) {
      setError(describe(failure))
    }
    setChosen(null)
  }
  return {
    value: chosen === null ? value : chosen.value,
    onChange: (next: T) => void choose(next),
    problem: <Problem>{error}</Problem>,
  }
}

export function SavedSwitch({
  label,
  value,
  save,
  hint,
  inForce = null,
  children,
}: {
  label: string
  value: boolean
  save: Save<boolean>
  hint?: ReactNode
  /** A sentence about the effective state if it differs from the stored one. */
  inForce?: string | null
  /** Further settings that are shown while this one is on. */
  children?: ReactNode
}) {
  const { value: checked, onChange, problem } = useSavedChoice(label, value, save)
  return (
    <Stack gap="xs">
      <Switch label={label} checked={checked} onChange={onChange} hint={withInForce(hint, inForce)}>
        {children}
      </Switch>
      {problem}
    </Stack>
  )
}

/** A choice of many options, which takes no space until it is opened. */
export function SavedSelect<T extends string>({
  label,
  value,
  options,
  save,
  hint,
}: {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  save: Save<T>
  hint?: ReactNode
}) {
  const { value: chosen, onChange, problem } = useSavedChoice(label, value, save)
  return (
    <Stack gap="xs">
      <SelectField label={label} hint={hint} value={chosen} options={options} onChange={onChange} />
      {problem}
    </Stack>
  )
}

export function SavedChoice<T extends string>({
  label,
  value,
  options,
  save,
  inForce = null,
}: {
  label: string
  value: T
  options: Parameters<typeof RadioList<T>>[0]['options']
  save: Save<T>
  inForce?: string | null
}) {
  const { value: chosen, onChange, problem } = useSavedChoice(label, value, save)
  return (
    <Stack gap="xs">
      <RadioList label={label} value={chosen} options={options} onChange={onChange} />
      {inForce !== null && <Small>{inForce}</Small>}
      {problem}
    </Stack>
  )
}
