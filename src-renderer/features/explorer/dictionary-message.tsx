import type { BodyInput } from '../../../src-preload/contract/dictionary.ts'
import type { MessageOrder } from '../../../src-preload/contract/message.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { useData, useDataOf } from '../../app/bridge.ts'
import { type FormState, TextArea, TextField, SelectField } from '../../ui/form.tsx'
import { Hint, Problem } from '../../ui/layout.tsx'

type Chosen = NonNullable<MessageOrder['message']>
type Entered = Required<Pick<MessageOrder, 'message' | 'values'>>

const address = /^(?:-?\d+:[0-9a-f]{64}|[\w+/-]{48})$/i
const keyOf = ({ codeHash, opcode, name }: Chosen) => `${codeHash} ${opcode} ${name}`

/** The choice of a message from a dictionary, and a field for each of its values. */
export function DictionaryMessage({
  network,
  to,
  entered: { message, values },
  errors,
  onChange,
}: {
  network: string
  /** The address that the user entered. */
  to: string
  entered: Entered
  errors: FormState<object>['errors']
  onChange: (entered: Partial<Entered>) => void
}) {
  const { data } = useData('dictionary.list')
  const receiver = to.trim()
  const isAddress = address.test(receiver)
  const found = useDataOf('dictionary.find', isAddress ? { network, address: receiver } : null)
  const code = isAddress && !found.isPlaceholderData ? found.data : undefined
  const inputs = useDataOf('dictionary.inputs', message)
  if (data === undefined) return null
  const { dictionaries } = data
  if (dictionaries.length === 0) {
    return (
      <Hint>
        No dictionary was imported yet. Open the contract in the explorer, choose “Contract”, and
        import its ABI or TL-B in the tab Dictionary.
      </Hint>
    )
  }
  const own = dictionaries.filter(({ codeHash }) => codeHash === code?.codeHash)
  const isOwn = own.length > 0
  const offered = (isOwn ? own : dictionaries).flatMap(({ codeHash, name: of, messages }) =>
    messages.map(({ opcode, name }) => ({ of, message: { codeHash, opcode, name } })),
  )
  const options = offered.map(({ of, message: each }) => ({
    value: keyOf(each),
    label: isOwn ? each.name : `${each.name} (${of})`,
  }))
  const hint = isOwn
    ? undefined
    : isAddress && found.error !== null
      ? `The code of the receiver could not be loaded (${found.error.message}), so the messages of all dictionaries are listed.`
      : code === undefined
        ? 'Enter the receiver to list only the messages of its contract.'
        : code.codeHash === null
          ? 'The receiver has no code yet, so the messages of all dictionaries are listed.'
          : 'No dictionary is for the code of the receiver, so the messages of all dictionaries are listed.'
  const all = message === null ? [] : (inputs.data?.inputs ?? [])
  const shown = shownOf(all, values)
  const loose = Object.entries(errors).find(
    ([path]) => path.startsWith('values.') && !shown.some(({ key }) => path === `values.${key}`),
  )
  return (
    <>
      <SelectField
        label="Message"
        hint={hint}
        error={errors['message']}
        value={message === null ? '' : keyOf(message)}
        options={[{ value: '', label: 'Choose a message' }, ...options]}
        onChange={(key) =>
          onChange({
            message: offered.find((each) => keyOf(each.message) === key)?.message ?? null,
            values: {},
          })
        }
      />
      {inputs.error !== null && message !== null && <Problem>{inputs.error.message}</Problem>}
      {message !== null && inputs.data !== undefined && all.length === 0 && (
        <Hint>This message has no fields.</Hint>
      )}
      {shown.map((input) => (
        <Entry
          key={input.key}
          input={input}
          value={valueOf(input, values)}
          error={errors[`values.${input.key}`]}
          onChange={(value) => onChange({ values: { ...values, [input.key]: value } })}
        />
      ))}
      {loose !== undefined && <Problem>{loose[1]}</Problem>}
    </>
  )
}

/** Every choice has a value, so that the displayed value is the one that is sent. */
function valueOf({ key, kind }: BodyInput, values: Entered['values']): string {
  return values[key] ?? (kind === 'choice' ? '0' : kind === 'bool' ? 'false' : '')
}

function shownOf(inputs: readonly BodyInput[], values: Entered['values']): readonly BodyInput[] {
  const options = new Map<string, string>()
  return inputs.filter((input) => {
    const { key, kind, when } = input
    if (when !== null && options.get(when.key) !== String(when.option)) return false
    if (kind === 'choice') options.set(key, valueOf(input, values))
    return true
  })
}

/** Adds values to the entered ones for the choices that the user did not change. */
export function completeValues(inputs: readonly BodyInput[], values: Entered['values']) {
  return Object.fromEntries(
    shownOf(inputs, values).map((input) => [input.key, valueOf(input, values)]),
  )
}

const placeholders: Readonly<Partial<Record<BodyInput['kind'], string>>> = {
  number: '42 or 0x2a',
  address: 'EQ…, 0:… or none',
  bits: 'hexadecimal digits',
  cell: 'BOC as hex or base64',
  map: 'BOC as hex or base64; empty for an empty map',
  rest: 'BOC as hex or base64; empty for nothing',
}

function Entry({
  input: { name, type, kind, options },
  ...field
}: { input: BodyInput } & ReturnType<FormState<Record<string, string>>['field']>) {
  const given = { label: `${name}: ${type}`, ...field }
  if (kind === 'choice' || kind === 'bool') {
    const offered =
      kind === 'bool'
        ? ['false', 'true'].map((each) => ({ value: each, label: each }))
        : options.map((each, index) => ({ value: String(index), label: each }))
    return <SelectField {...given} options={offered} />
  }
  if (kind === 'cell' || kind === 'map' || kind === 'rest') {
    return <TextArea {...given} mono rows={2} spellCheck={false} placeholder={placeholders[kind]} />
  }
  const placeholder = kind === 'coins' ? `1500000000 or 1.5 ${coinName()}` : placeholders[kind]
  return <TextField {...given} mono={kind !== 'text'} placeholder={placeholder} />
}
