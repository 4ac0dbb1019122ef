import type { ReactNode } from 'react'
import type { Dictionary } from '../../../src-preload/contract/dictionary.ts'
import { attempt, confirmAndRun, request, useData } from '../../app/bridge.ts'
import type { InputFile } from '../../app/input-file.ts'
import { useForm } from '../../app/use-form.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { DropZone, OpenFileButton } from '../../components/files/drop-zone.tsx'
import { readText } from '../../components/files/read-file.ts'
import { HashText } from '../../components/chain/chain-text.tsx'
import { Button } from '../../ui/button.tsx'
import { Form, TextArea, TextField } from '../../ui/form.tsx'
import { formatCount, fromMs } from '../../ui/format.ts'
import { Fold, Hint, Note, Section, Stack, Tag } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Returns the dictionary that the user has imported for contracts with this code. */
export function useDictionary(codeHash: string | null): Dictionary | undefined {
  const { data } = useData('dictionary.list')
  return data?.dictionaries.find((each) => each.codeHash === codeHash)
}

/** `dictionary.import` accepts at most this many characters. */
const maxCharacters = 800_000

/** Imports and shows the dictionary for a contract's code, and lists all dictionaries. */
export function DictionaryPanel({ codeHash }: { codeHash: string | null }) {
  const query = useData('dictionary.list')
  if (codeHash === null) {
    return (
      <EmptyState
        title="No code"
        detail="A dictionary describes contracts by their code, and this account has none."
      />
    )
  }
  return (
    <Stack gap="none" role="region" aria-label="Dictionary">
      <Loaded query={query} of="the dictionaries">
        {({ dictionaries }) => {
          const own = dictionaries.find((each) => each.codeHash === codeHash)
          return (
            <>
              {own !== undefined && <Content dictionary={own} />}
              <Import key={codeHash} codeHash={codeHash} replaces={own !== undefined} />
              <Section title="All dictionaries">
                {dictionaries.length === 0 ? (
                  <Hint>You have not imported a dictionary yet.</Hint>
                ) : (
                  <List dictionaries={dictionaries} />
                )}
              </Section>
            </>
          )
        }}
      </Loaded>
    </Stack>
  )
}

function Content({ dictionary }: { dictionary: Dictionary }) {
  const { name, format, messages, methods, errors, unused, changedAt } = dictionary
  const parts: readonly { title: string; pairs: [string, ReactNode][] }[] = [
    {
      title: 'message',
      pairs: messages.map((message) => [
        `${message.opcode} ${message.name}`,
        message.fields.join(', ') || 'no fields',
      ]),
    },
    {
      title: 'get method',
      pairs: methods.map((method) => {
        const parameters = method.arguments.map((each) => `${each.name}: ${each.type}`).join(', ')
        return [method.name, `(${parameters})${method.returns ? ` → ${method.returns}` : ''}`]
      }),
    },
    {
      title: 'exit code',
      pairs: errors.map((error) => [String(error.code), <UntrustedText text={error.name} />]),
    },
  ]
  return (
    <Section
      title={<UntrustedText text={name} />}
      aria-label="Content of the dictionary"
      actions={<Tag>{formatNames[format]}</Tag>}
    >
      <Stack>
        <KeyValues values={{ Imported: <Moment at={fromMs(changedAt)} /> }} />
        {unused.length > 0 && (
          <Note tone="warn">
            <p>Not used:</p>
            <ul>
              {unused.map((why) => (
                <UntrustedText as="li" key={why} text={why} />
              ))}
            </ul>
          </Note>
        )}
        {parts.map(({ title, pairs }) => (
          <Fold key={title} summary={formatCount(pairs.length, title)} lazy>
            <KeyValues wide mono pairs={pairs} />
          </Fold>
        ))}
      </Stack>
    </Section>
  )
}

const formatNames: Readonly<Record<Dictionary['format'], string>> = { abi: 'ABI', tlb: 'TL-B' }

function Import({ codeHash, replaces }: { codeHash: string; replaces: boolean }) {
  const form = useForm(
    { name: '', text: '' },
    async (values) => {
      const { name } = await request('dictionary.import', { codeHash, ...values })
      showToast({ title: `Dictionary “${name}” imported` })
    },
    { clears: true },
  )
  const open = async (file: InputFile) => {
    const text = await attempt('Could not read the file', () =>
      readText(file, maxCharacters, 'Open the ABI or the TL-B as a text file in UTF-8.'),
    )
    if (text === undefined) return
    if (text === null) {
      showToast({
        title: `“${file.name}” is too large`,
        detail: 'A dictionary may have 800,000 characters. Nothing was imported.',
        tone: 'bad',
      })
      return
    }
    form.change({ text })
  }
  return (
    <Section
      title={replaces ? 'Replace the dictionary' : 'Import a dictionary'}
      detail="An ABI in JSON as the compilers of Tact (.abi) and Tolk write it, or TL-B with opcodes. It applies to all contracts with this code, on every network."
    >
      <DropZone hint="Drop the file to read it" onFile={(file) => void open(file)}>
        <Form
          form={form}
          action="Import"
          label="Import a dictionary"
          inline
          disabled={form.values.text.trim() === ''}
          beside={
            <OpenFileButton
              label="Open a file…"
              purpose="other"
              accept=".abi,.json,.tlb,.txt"
              onFile={(file) => void open(file)}
            />
          }
        >
          <TextField label="Name" placeholder="The name in the ABI" {...form.field('name')} />
          <TextArea
            label="ABI or TL-B"
            mono
            rows={6}
            spellCheck={false}
            placeholder="transfer#0f8a7ea5 query_id:uint64 amount:Coins = Body;"
            {...form.field('text')}
          />
        </Form>
      </DropZone>
    </Section>
  )
}

function List({ dictionaries }: { dictionaries: readonly Dictionary[] }) {
  return (
    <Table
      label="Dictionaries"
      rows={dictionaries}
      keyOf={({ codeHash }) => codeHash}
      columns={[
        { name: 'Name', grow: 1, width: 120, cell: ({ name }) => <UntrustedText text={name} /> },
        {
          name: 'Code hash',
          width: 160,
          cell: ({ codeHash }) => <HashText hash={codeHash} what="Code hash" />,
        },
        { name: 'Format', width: 70, cell: ({ format }) => formatNames[format] },
        {
          name: 'Remove',
          hideName: true,
          width: 90,
          cell: (dictionary) => (
            <Button
              kind="quiet"
              icon="trash"
              aria-label={`Remove ${dictionary.name}`}
              onClick={() => void remove(dictionary)}
            >
              Remove
            </Button>
          ),
        },
      ]}
    />
  )
}

async function remove({ codeHash, name }: Dictionary): Promise<void> {
  await confirmAndRun({
    title: `Remove the dictionary “${name}”?`,
    detail: 'Tondesk no longer names the messages of contracts with this code.',
    action: 'Remove',
    failure: 'Could not remove the dictionary',
    run: () => request('dictionary.remove', { codeHash }),
  })
}
