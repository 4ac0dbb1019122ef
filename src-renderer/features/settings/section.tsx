import type { ReactNode } from 'react'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { changeSettings, settingsSections } from '../../app/app-settings.ts'
import { attempt, toAppError } from '../../app/bridge.ts'
import { readFieldErrors, useForm, type ByteUnit, byteUnits } from '../../app/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { type FormState, Form, Select, TextField } from '../../ui/form.tsx'
import { Section, Stack } from '../../ui/layout.tsx'
import { showToast } from '../../ui/toast.tsx'

type SectionId = keyof typeof settingsSections

export function SettingsSection({
  id,
  detail,
  children,
}: {
  id: SectionId
  detail?: ReactNode
  children: ReactNode
}) {
  return (
    <Section id={`settings-${id}`} level={2} title={settingsSections[id]} detail={detail}>
      <Stack gap="l">{children}</Stack>
    </Section>
  )
}

/** Passes on the parsed value of a field, or notes the error of the field if its value is null. */
type Check = { <T>(field: string, value: T | null, error: string): T }

/**
 * The form of a section, whose fields have the names of its settings. It is saved as a whole, with an Undo.
 * @param parse makes the settings of the fields; they are saved if no check failed
 */
export function useSettingsForm<N extends SectionId & keyof Settings, V extends object>(
  id: N,
  settings: Settings[N],
  initial: V,
  parse: (values: V, check: Check) => Settings[N],
): FormState<V> {
  const save = async (values: V) => {
    const wrong: Record<string, string> = {}
    const next = parse(values, <T,>(field: string, value: T | null, error: string) => {
      if (value === null) wrong[field] = error
      return value as T
    })
    if (Object.keys(wrong).length > 0) return wrong
    try {
      await changeSettings({ [id]: next })
    } catch (error) {
      const errors = readFieldErrors(toAppError(error))
      if (errors === null) throw error
      const named = Object.entries(errors)
      return Object.fromEntries(named.map(([path, text]) => [path.replace(`${id}.`, ''), text]))
    }
    showToast({
      id: `saved-${id}`,
      title: `${settingsSections[id]} saved`,
      action: {
        label: 'Undo',
        run: () => void attempt('Could not undo', () => changeSettings({ [id]: settings })),
      },
    })
    return undefined
  }
  return useForm(initial, save, { clears: true })
}

export function SettingsForm({
  form,
  children,
}: {
  form: Pick<FormState<object>, 'busy' | 'problem' | 'submit' | 'isChanged' | 'reset'>
  children: ReactNode
}) {
  return (
    <Form
      inline
      form={form}
      action="Save"
      disabled={!form.isChanged}
      beside={
        form.isChanged && (
          <Button kind="quiet" onClick={form.reset}>
            Discard changes
          </Button>
        )
      }
    >
      {children}
    </Form>
  )
}

/** For a `Switch`. */
export function toggleOf<V extends object>(
  { values, change }: Pick<FormState<V>, 'values' | 'change'>,
  name: keyof V & string,
) {
  return {
    checked: values[name] === true,
    onChange: (checked: boolean) => change({ [name]: checked } as unknown as Partial<V>),
  }
}

type Bytes = { readonly amount: string; readonly unit: ByteUnit }

const units = byteUnits.map((unit) => ({ value: unit, label: unit }))

export function BytesField({
  label,
  hint,
  error,
  value,
  onChange,
}: {
  label: string
  hint?: string
  error: string | undefined
  value: Bytes
  onChange: (value: Bytes) => void
}) {
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      short
      inputMode="decimal"
      value={value.amount}
      onChange={(amount) => onChange({ ...value, amount })}
      suffix={
        <Select
          label={`${label}, unit`}
          value={value.unit}
          onChange={(unit) => onChange({ ...value, unit })}
          options={units}
        />
      }
    />
  )
}
