/** Returns a response with the same content; `onChunk` is called with each chunk as it is read, and ends the reading when it throws. */
export function observeBody(response: Response, onChunk: (chunk: Uint8Array) => void): Response {
  if (response.body === null) return response;
  const { status, statusText, headers, url } = response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      try {
        onChunk(value);
      } catch (error) {
        await reader.cancel(error);
        throw error;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}
