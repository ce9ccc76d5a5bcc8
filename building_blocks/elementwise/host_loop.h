// The loop of the host route. This loop takes the place of the GPU's building blocks, and handles the elements [begin,
// end) of a launch. This file is included before the user's text, so that the user's macros cannot change it.
#pragma once

// Collects the elements of one output that is a bit array, and stores them word by word. Threads of the host have
// elements [begin, end) each, so two threads can have elements in the same word. A thread stores a word as a whole only
// if all of its bits belong to this thread, and otherwise changes its own bits by atomic operations.
class graft_bit_writer {
 public:
  void begin(void* words, const graft_mask& mask, unsigned long long count) {
    words_ = static_cast<unsigned int*>(words);
    mask_ = &mask;
    last_ = mask.offset + count - 1;
  }
  void add(unsigned long long index, bool value) {
    const unsigned long long place = mask_->offset + index;
    const unsigned int bit = 1u << (place % GRAFT_BITS_PER_WORD);
    if (place / GRAFT_BITS_PER_WORD != word_) flush();
    word_ = place / GRAFT_BITS_PER_WORD;
    owned_ |= bit;
    if (value) bits_ |= bit;
    else ++zeros_;
    if (place == last_ && mask_->clears_rest != 0) owned_ |= ~(bit | (bit - 1));
  }
  void finish() {
    flush();
    if (zeros_ != 0 && mask_->zeros != nullptr) __atomic_fetch_add(mask_->zeros, zeros_, __ATOMIC_RELAXED);
  }

 private:
  void flush() {
    if (owned_ == 0xffffffff) {
      words_[word_] = bits_;
    } else if (owned_ != 0) {
      __atomic_fetch_and(&words_[word_], bits_ | ~owned_, __ATOMIC_RELAXED);
      __atomic_fetch_or(&words_[word_], bits_, __ATOMIC_RELAXED);
    }
    bits_ = owned_ = 0;
  }

  unsigned int* words_ = nullptr;
  const graft_mask* mask_ = nullptr;
  unsigned long long last_ = 0;  // the place of the last element of the launch
  unsigned long long word_ = 0;
  unsigned int bits_ = 0;
  unsigned int owned_ = 0;
  unsigned long long zeros_ = 0;
};

inline bool graft_load_bit_on_host(const unsigned char* words, const graft_mask& mask, unsigned long long index) {
  const unsigned long long place = mask.offset + index;
  // Another thread may change other bits of the word at the same time.
  const unsigned int word =
      __atomic_load_n(reinterpret_cast<const unsigned int*>(words) + place / GRAFT_BITS_PER_WORD, __ATOMIC_RELAXED);
  return (word >> (place % GRAFT_BITS_PER_WORD) & 1) != 0;
}

GRAFT_EXPORT void graft_host_run(const void* parameter, unsigned long long begin, unsigned long long end) {
  const graft_launch* launch = static_cast<const graft_launch*>(parameter);
  unsigned char* const* arrays = reinterpret_cast<unsigned char* const*>(launch + 1);
  const int input_count = graft_input_count();
  const int output_count = graft_output_count();
  const graft_mask* next = reinterpret_cast<const graft_mask*>(arrays + input_count + output_count);
  const graft_mask* input_masks[GRAFT_MAX_INPUTS] = {};  // null for arrays that are no bit arrays
  for (int k = 0; k < input_count; ++k)
    if (graft_input_size(k) == GRAFT_BIT_SIZE) input_masks[k] = next++;
  graft_bit_writer writers[GRAFT_MAX_OUTPUTS];
  for (int k = 0; k < output_count; ++k)
    if (graft_output_size(k) == GRAFT_BIT_SIZE) writers[k].begin(arrays[input_count + k], *next++, launch->count);

  graft_share inputs[GRAFT_MAX_INPUTS];
  graft_share outputs[GRAFT_MAX_OUTPUTS];
  for (unsigned long long i = begin; i < end; ++i) {
    for (int k = 0; k < input_count; ++k) {
      const int size = graft_input_size(k);
      if (size == GRAFT_BIT_SIZE) inputs[k].words[0] = graft_load_bit_on_host(arrays[k], *input_masks[k], i) ? 1 : 0;
      else __builtin_memcpy(inputs[k].words, arrays[k] + i * size, size);
    }
    if (graft_apply(inputs, outputs, 0, i, launch) == 0) continue;
    for (int k = 0; k < output_count; ++k) {
      const int size = graft_output_size(k);
      if (size == GRAFT_BIT_SIZE) writers[k].add(i, (outputs[k].words[0] & 1) != 0);
      else __builtin_memcpy(arrays[input_count + k] + i * size, outputs[k].words, size);
    }
  }
  for (int k = 0; k < output_count; ++k)
    if (graft_output_size(k) == GRAFT_BIT_SIZE) writers[k].finish();
}

// The same for a call whose arrays are views, none of which is a bit array. `begin` and `end` count elements in the
// order of the view's dimensions, and the callback's index has an order of its own.
GRAFT_EXPORT void graft_host_run_view(const void* parameter, const graft_view* view, unsigned long long begin,
                                      unsigned long long end) {
  const graft_launch* launch = static_cast<const graft_launch*>(parameter);
  const int input_count = graft_input_count();
  const int array_count = input_count + graft_output_count();
  unsigned char* at[GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS];  // the current element of each array
  __builtin_memcpy(at, launch + 1, sizeof(at[0]) * array_count);
  long long index = view->first_index;
  unsigned long long place[GRAFT_MAX_RANK];
  const auto step = [&](unsigned int d, long long times) {
    for (int k = 0; k < array_count; ++k) at[k] += times * view->strides[k][d];
    index += times * view->index_strides[d];
  };
  unsigned long long rest = begin;
  for (unsigned int d = 0; d < view->rank; ++d) {
    place[d] = rest % view->extents[d];
    rest /= view->extents[d];
    step(d, static_cast<long long>(place[d]));
  }

  graft_share inputs[GRAFT_MAX_INPUTS];
  graft_share outputs[GRAFT_MAX_OUTPUTS];
  for (unsigned long long i = begin; i < end; ++i) {
    for (int k = 0; k < input_count; ++k) __builtin_memcpy(inputs[k].words, at[k], graft_input_size(k));
    if (graft_apply(inputs, outputs, 0, static_cast<unsigned long long>(index), launch) != 0)
      for (int k = input_count; k < array_count; ++k)
        __builtin_memcpy(at[k], outputs[k - input_count].words, graft_output_size(k - input_count));
    for (unsigned int d = 0; d < view->rank; ++d) {
      step(d, 1);
      if (++place[d] < view->extents[d]) break;
      step(d, -static_cast<long long>(view->extents[d]));
      place[d] = 0;
    }
  }
}
