/** One server-sent event; `data` is its lines joined. */
export type ServerEvent = { readonly name: string; readonly data: string }

/** An event is a line or two; whoever sends more than this without an end sends something else. */
const longestEvent = 1024 * 1024

/** Reads a `text/event-stream`. @throws Error when an event grows without an end */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  let name = ''
  let data: string[] = []
  let size = 0
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r\n|\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { name: name === '' ? 'message' : name, data: data.join('\n') }
        name = ''
        data = []
        size = 0
        continue
      }
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'event') name = value
      else if (field === 'data') data.push(value)
      size += line.length
    }
    if (rest.length + size > longestEvent) throw new Error('an event without an end')
  }
}
