"""A model on this machine that stands in for a provider's: nothing is asked of anybody else.

It speaks OpenAI chat completions, OpenAI responses, Anthropic messages and Gemini, streaming and
not. What it says is decided by whoever answers: `model` reports as soon as it is offered the tool
for it, which is how an agent is tried without a key, a network or a bill.

    said       reply     what is asked and answered, in no API's words
    languages  anthropic chat gemini responses
    parts      offer (which tool is meant)  schema (a value that fits)  count (tokens)
    server     routes    model              who answers by itself

It knows nothing of the daemon.
"""
