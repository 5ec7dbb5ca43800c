# muster_merge(TARGET): compiles the target's sources together, those of a folder at a time.
# Most of a file's compile time is its headers. MUSTER_MERGE=OFF compiles each file by itself, for clang-tidy and editors.
option(MUSTER_MERGE "Compile the sources of a folder together" ON)
set(MUSTER_MERGED_FILES 8)  # at most, so that a change still compiles in seconds, and several cores have work

function(muster_merge target)
  if(NOT MUSTER_MERGE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(NOT source MATCHES "[.]cpp$")
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(LENGTH members_${folder} before)
    list(APPEND members_${folder} ${source})
    math(EXPR group "${before} / ${MUSTER_MERGED_FILES}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
